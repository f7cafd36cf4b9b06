"""What can go wrong with a chat model."""

from preprocessing.errors import FolioError


class ModelError(FolioError):
    """The chat model could not be reached or refused the request."""


class ModelTimeout(ModelError):
    """The chat model took too long."""


class ContextOverflow(ModelError):
    """The prompt is longer than the model reads."""

    def __init__(self, message: str, limit: int | None) -> None:
        super().__init__(message)
        self.limit = limit
        """Tokens that the model says it reads, where it says so."""


class ToolsRefused(ModelError):
    """The model takes no tools with a request."""
