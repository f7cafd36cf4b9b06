"""Models behind an HTTP address."""
