"""Loading a model by name or path with sentence-transformers, with failures that name the setting."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from preprocessing.errors import FolioError


class ModelError(FolioError):
    """A model cannot be loaded or used; the message names the setting."""


@contextmanager
def loading(setting: str, name: str) -> Iterator[None]:
    """Turn what importing or loading raises into a ModelError of one line."""
    try:
        yield
    except ImportError as error:
        if error.name and error.name.split(".")[0] not in ("sentence_transformers", "torch", "transformers"):
            raise ModelError(f"{setting}={name} needs the package {error.name}: pip install {error.name}") from error
        raise ModelError(f"{setting}={name} needs the extra: pip install 'folio[models]'") from error
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ModelError(
            f"{setting}={name} cannot be loaded ({reason}): give a folder with a model, or a name on the model hub; "
            "HF_HUB_OFFLINE=1 uses one that was downloaded before"
        ) from error


def architecture(model: Any) -> str:
    """Return the network that the model was saved as, such as `BertForSequenceClassification`; "" if unsaid."""
    config = getattr(getattr(model, "transformers_model", None), "config", None)
    names = getattr(config, "architectures", None)
    return str(names[0]) if names else ""
