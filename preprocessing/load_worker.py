"""The other side of `loader`: a process that loads one file after another."""

import logging
import os
import pickle
import sys
import traceback
from typing import Any

from preprocessing.child import MEMORY_BYTES, limit_memory
from preprocessing.document import Document
from preprocessing.errors import LoadError
from preprocessing.load import load


def main() -> None:
    """Answer requests on standard input, each with a document or an error, until there are no more."""
    logging.disable(logging.CRITICAL)
    limit_memory()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between the answers
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        pickle.dump(answer(request), answers)
        answers.flush()


def answer(request: dict[str, Any]) -> Document | Exception:
    """Return the document that `load` makes with these arguments, or why there is none."""
    try:
        return load(**request)
    except LoadError as error:
        return error
    except MemoryError:
        return LoadError(f"{request['source']}: needs more than {MEMORY_BYTES >> 30} GB of memory; split the file")
    except Exception as error:  # noqa: BLE001  a bug, told with its stack trace by the process that asked
        unexpected = RuntimeError(f"{type(error).__name__}: {error}")
        unexpected.add_note(traceback.format_exc())
        return unexpected
