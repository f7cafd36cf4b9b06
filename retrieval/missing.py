"""Documents whose files are no longer where they were."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from retrieval.copies import FileState


def missing_from(paths: Sequence[Path], files: Callable[[], Mapping[str, FileState]]) -> set[str]:
    """Return the ids of the documents whose files lay at or below the paths and are gone.

    Of a folder that is itself not there nothing is known: its drive may not be connected. `files` gives what each
    document was made from, and is asked only where a path can lack a file.
    """
    places = [path.resolve() for path in paths]
    folders = [place for place in places if place.is_dir()]
    absent = {place for place in places if place.parent.is_dir() and not place.exists()}
    if not folders and not absent:
        return set()

    def was_there(path: Path) -> bool:
        return path in absent or any(path.is_relative_to(folder) for folder in folders)

    return {doc_id for doc_id, file in files().items() if file.path and was_there(Path(file.path)) and file.is_gone}
