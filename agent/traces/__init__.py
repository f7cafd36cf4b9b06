"""How answers came about: recorded as it happens, kept, shown to observers, and never with a secret."""
