"""The chat models: the built-in one, and any behind an OpenAI-compatible address."""
