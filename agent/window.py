"""How many tokens a text takes, and how many a model reads at once."""

import logging
from dataclasses import dataclass

logger = logging.getLogger(__name__)

REPLY_TOKENS = 1000
"""Kept free for the reply."""
SHRINK = 0.75
"""Share of a refused prompt that is sent next; tokens are counted approximately here."""
LEAST_TOKENS = 200


@dataclass(slots=True)
class ContextWindow:
    """Tokens that one prompt may take: from the settings, less once a model has shown that it reads fewer."""

    prompt_tokens: int

    @classmethod
    def of(cls, context_tokens: int) -> "ContextWindow":
        """Return the window of a model that reads and writes so many tokens together."""
        return cls(max(context_tokens - REPLY_TOKENS, context_tokens // 2))

    def shrink(self, sent: int, limit: int | None = None) -> None:
        """Learn from a prompt of `sent` tokens that was too long; `limit` is what the model says that it reads."""
        self.prompt_tokens = max(int(SHRINK * min(sent, limit or sent, self.prompt_tokens)), LEAST_TOKENS)
        logger.warning("prompts are cut to %d tokens from now on; see FOLIO_CONTEXT_TOKENS", self.prompt_tokens)


def approximate_tokens(text: str) -> int:
    """Return about how many tokens a text takes: one a Chinese character, one for four of any other."""
    wide = sum("\u2e80" <= character <= "\uffef" or character >= "\U00020000" for character in text)
    return wide + (len(text) - wide + 3) // 4
