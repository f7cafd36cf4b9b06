"""The prompt: one question, of one line or of several, and a file of the earlier ones."""

import os
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from agent.repl.conversation import write

_MODE = 0o600


def open_history(path: Path) -> History:
    """Open the file of earlier inputs; one that cannot be used is said once and done without."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _MODE))
        # It may be a file of an earlier version, or one that was copied here.
        path.chmod(_MODE)
    except OSError as error:
        write(f"! earlier inputs are not kept: {path}: {error.strerror}")
        return InMemoryHistory()
    return FileHistory(path)


def prompter(history_file: Path, commands: list[str]) -> Callable[[], str]:
    """Return what asks for the next input.

    It raises KeyboardInterrupt for Ctrl-C and EOFError for Ctrl-D at an empty prompt. A pasted text of several lines is
    one question; Tab completes a command.
    """
    session: PromptSession[str] = PromptSession(
        "> ",
        history=open_history(history_file),
        key_bindings=_bindings(),
        completer=WordCompleter(commands, sentence=True),
        complete_while_typing=False,
        multiline=True,
        prompt_continuation=lambda _width, _line, wrapped: "  " if wrapped else "… ",
        # No lines are kept free under the prompt for a menu.
        reserve_space_for_menu=0,
    )
    return session.prompt


def _bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    @bindings.add("c-j")  # What Enter is to programs that type into a terminal.
    def _send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @bindings.add("escape", "enter")
    def _break_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return bindings
