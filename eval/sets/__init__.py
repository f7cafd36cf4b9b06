"""Question sets: their files, and what is searched for them."""
