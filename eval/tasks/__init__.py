"""What is measured, a command each."""
