"""Around each reply: what a question may cost, what fits into a prompt, what is corrected, what is shown meanwhile."""
