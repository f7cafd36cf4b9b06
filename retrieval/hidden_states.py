"""Which document states a search must not see, worked out once for all searches between two changes."""

import threading
from datetime import date

from retrieval.catalogue import Catalogue


class HiddenStates:
    """The hidden states of a catalogue that this process alone changes, kept until it does or the day ends."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._changes = 0
        self._kept: tuple[date, frozenset[str]] | None = None

    def refresh(self) -> None:
        """Note that documents were changed; a search that begins from now on sees it."""
        hidden = date.today(), self._catalogue.hidden_revisions()
        with self._lock:
            self._changes += 1
            self._kept = hidden

    def now(self) -> frozenset[str]:
        """Return what is hidden today."""
        kept, changes, today = self._kept, self._changes, date.today()
        if kept is None or kept[0] != today:
            # A version may come into force without a change.
            kept = today, self._catalogue.hidden_revisions()
            with self._lock:
                # What was read before a change must not be kept after it.
                if changes == self._changes:
                    self._kept = kept
        return kept[1]
