"""Loading a model by name or path with sentence-transformers, with failures that name the setting."""

from pkgutil import resolve_name
from typing import Any, Literal

from preprocessing.errors import FolioError


class ModelError(FolioError):
    """A model cannot be loaded or used; the message names the setting."""


def load(kind: Literal["SentenceTransformer", "CrossEncoder"], setting: str, name: str) -> Any:
    """Return the model that the setting names, on the best device there is; raises ModelError of one line."""
    try:
        # Resolved now and not before: torch takes seconds, and most commands do without.
        return resolve_name(f"sentence_transformers:{kind}")(name)
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
