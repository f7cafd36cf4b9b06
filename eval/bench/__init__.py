"""Speed and memory beside stock parts, and many users at once."""
