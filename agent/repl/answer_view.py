"""An answer while it is made: what the agent does in one line, and the draft, both gone when the answer stands."""

import shutil
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

from agent.language import Language
from agent.progress import progress_text, waiting_text
from agent.repl.output import is_terminal, write
from agent.show import event_text, printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

REFRESHES_A_SECOND = 12
"""Tokens come faster than anybody reads."""
_KEPT_ROWS = 4
"""Rows of the screen that a draft leaves free, so that the region can be redrawn."""


class AnswerView:
    """Shows what is told while a question is answered; off a terminal, only the decisions when they are wanted."""

    def __init__(self, language: Language, *, verbose: bool) -> None:
        self._language = language
        self._verbose = verbose
        self._live: Live | None = None
        self._doing = waiting_text(language, writes=False)
        self._draft = ""
        self._number = 0

    def __enter__(self) -> "AnswerView":
        if is_terminal(sys.stdout):
            # Imported late: piped input needs none of it.
            from rich.console import Console
            from rich.live import Live

            console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
            self._live = Live(
                console=console,
                get_renderable=self._region,
                refresh_per_second=REFRESHES_A_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def event(self, event: dict[str, Any]) -> None:
        """Take a decision of the agent, or what it brought."""
        if self._verbose:
            self._print(event_text(event))
        self._doing = printable(progress_text(event, self._language))
        self.refresh()

    def draft(self, number: int, text: str) -> None:
        """Take a piece of a draft; a higher number makes all before it void."""
        if number != self._number:
            self._number, self._draft = number, ""
            self._doing = waiting_text(self._language, writes=True)
        self._draft += printable(text)

    def refresh(self) -> None:
        """Draw the region now; it is drawn often enough by itself."""
        if self._live:
            self._live.refresh()

    def _print(self, text: str) -> None:
        if self._live:
            # Above the region, as it is: wrapped by the terminal, so that it can be copied.
            self._live.console.print(printable(text), soft_wrap=True)
        else:
            write(text)

    def _region(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        columns, rows = shutil.get_terminal_size()
        doing = Text(f"… {self._doing}", style="dim", no_wrap=True, overflow="ellipsis")
        if not self._draft or not self._live:
            return doing
        lines = Text(self._draft, style="dim").wrap(self._live.console, max(columns - 1, 20))
        return Group(*list(lines)[-max(rows - _KEPT_ROWS, 1) :], doing)
