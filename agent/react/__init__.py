"""The parts of one ReAct reply: its labels, its clean text, its tool call or its final answer."""
