"""The chat from its first prompt to its last."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from agent.assistant import Assistant
from agent.repl.commands import COMMANDS, ENDING, model_text, run_command
from agent.repl.conversation import Conversation, write
from agent.repl.prompt import prompter
from preprocessing.errors import FolioError

IMPATIENT_SECONDS = 1.0
"""A second Ctrl-C within this time is the same one: what is stopped must be able to put things in order."""


class Interrupts:
    """Lets Ctrl-C through only where something waits for it."""

    def __init__(self) -> None:
        self._are_allowed = False
        self._last = float("-inf")

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Be in charge of Ctrl-C, in the main thread."""
        before = signal.signal(signal.SIGINT, self._handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Let Ctrl-C raise KeyboardInterrupt in the block."""
        self._are_allowed = True
        try:
            yield
        finally:
            self._are_allowed = False

    def _handle(self, _signal: int, _frame: Any) -> None:
        now = time.monotonic()
        if self._are_allowed and now - self._last > IMPATIENT_SECONDS:
            self._last = now
            raise KeyboardInterrupt


def run(conversation: Conversation) -> None:
    """Chat at the terminal; piped input is answered line by line."""
    if not sys.stdin.isatty():
        for line in sys.stdin:
            # Some shells begin what they pipe with a byte-order mark.
            if not take(conversation, line.lstrip("\ufeff")):
                break
        return
    # What the first question needs is loaded while the person reads and types.
    threading.Thread(target=_prepare, args=(conversation.assistant,), daemon=True).start()
    chat(conversation)


def _prepare(assistant: Assistant) -> None:
    # The first question says what is wrong, where a person sees it.
    with suppress(FolioError):
        assistant.prepare()


def chat(conversation: Conversation) -> None:
    """Prompt until the person leaves; Ctrl-C stops what is being done and nothing else."""
    documents = conversation.assistant.knowledge_base.documents(conversation.viewer or None)
    write(conversation.say("banner", documents=len(documents), model=model_text(conversation)))
    prompt = prompter(conversation.assistant.settings.home / "chat_history", [*COMMANDS, *ENDING])
    interrupts = Interrupts()
    with interrupts.installed():
        while (text := _prompted(conversation, prompt, interrupts)) is not None:
            try:
                with interrupts.allowed():
                    if not take(conversation, text):
                        return
            except KeyboardInterrupt:
                write("\n" + conversation.say("stopped"))


def take(conversation: Conversation, text: str) -> bool:
    """Run a command or answer a question; False for one that leaves. What a person can mend is one line."""
    text = text.strip()
    try:
        if text.lower() in ENDING:
            return False
        if text.startswith(("/", "／")):
            write(run_command(conversation, text))
        elif text:
            conversation.ask(text)
    except FolioError as error:
        write(f"! {error}")
    return True


def _prompted(conversation: Conversation, prompt: Callable[[], str], interrupts: Interrupts) -> str | None:
    """Return what is typed; None at Ctrl-D."""
    while True:
        try:
            with interrupts.allowed():
                return prompt()
        except KeyboardInterrupt:
            write(conversation.say("leave"))
        except EOFError:
            return None
