"""Every text that a model is given, as files beside this one, rendered strictly; and how much of it a model reads."""

import logging
from dataclasses import dataclass
from importlib.resources import files
from string import Template

logger = logging.getLogger(__name__)

REPLY_TOKENS = 1000
"""Kept free for the reply."""
SHRINK = 0.75
"""Share of a refused prompt that is sent next; tokens are counted approximately here."""
LEAST_TOKENS = 200


def render(name: str, **values: str) -> str:
    """Return the prompt `name`.md with each `$placeholder` filled in.

    Values are plain text: braces and dollars in them stay as they are. Raises ValueError when the values are not
    exactly the placeholders of the prompt, and FileNotFoundError for an unknown name.
    """
    template = Template(files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8"))
    wanted = set(template.get_identifiers())
    if wanted != values.keys():
        raise ValueError(f"prompt {name}.md takes {sorted(wanted)}, not {sorted(values)}")
    return template.substitute(values).strip()


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
