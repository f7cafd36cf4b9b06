"""The prompt: one question, of one line or of several."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from agent.repl.history import open_history

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


def prompter(history_file: Path, commands: list[str]) -> Callable[[], str]:
    """Return what asks for the next input.

    It raises KeyboardInterrupt for Ctrl-C and EOFError for Ctrl-D at an empty prompt. A pasted text of several lines is
    one question; Tab completes a command.
    """
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter

    session: PromptSession[str] = PromptSession(
        "> ",
        history=open_history(history_file),
        key_bindings=_bindings(),
        completer=WordCompleter(commands, sentence=True),
        complete_while_typing=False,
        multiline=True,
        prompt_continuation=_continuation,
        # No lines are kept free under the prompt for a menu.
        reserve_space_for_menu=0,
    )
    return session.prompt


def _continuation(_width: int, _line: int, wrapped: int) -> str:
    return "  " if wrapped else "… "


def _bindings() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    bindings = KeyBindings()

    @bindings.add("enter")
    def _send(event: "KeyPressEvent") -> None:
        event.current_buffer.validate_and_handle()

    @bindings.add("c-j")
    def _send_too(event: "KeyPressEvent") -> None:
        # What Enter is to programs that type into a terminal.
        event.current_buffer.validate_and_handle()

    @bindings.add("escape", "enter")
    def _break_line(event: "KeyPressEvent") -> None:
        event.current_buffer.newline(copy_margin=False)

    return bindings
