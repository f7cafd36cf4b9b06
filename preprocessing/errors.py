"""Errors that a person can mend."""


class FolioError(Exception):
    """Base of every error whose message is written for a person; the doors print it as one line."""


class LoadError(FolioError):
    """A file could not be turned into text; the message says why and what to do."""
