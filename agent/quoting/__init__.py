"""The words of the documents that answer a question, and how sure it is that they do."""
