"""Hold what an answer says against the passages that it cites."""
