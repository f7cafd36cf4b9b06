"""Which documents there are, which revision of each is in force, and what an index was made with."""
