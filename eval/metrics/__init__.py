"""Metrics as pure functions, and how sure a mean is."""
