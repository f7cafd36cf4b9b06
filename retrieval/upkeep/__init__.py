"""Looking after a knowledge base: its health, moving it, and why a document was not found."""
