"""What a question names that its answer cannot do without, and whether the passages have it."""
