"""Text as it is compared: its language, folded forms, tokens, codes, numerals, dates, and windows of it."""
