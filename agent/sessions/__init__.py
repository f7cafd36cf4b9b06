"""The conversations: what was said, kept in a database, in short, and whether it still holds."""
