"""Read an encoder of the form of multilingual-e5-small through `transformers`, by hub name or path."""

import json

import numpy as np

from preprocessing.errors import FolioError
from retrieval.models.bert_names import KIND, OUTSIDE, in_layers
from retrieval.models.weights import EncoderWeights, Floats


def read_hub(name_or_path: str) -> EncoderWeights:
    """Return the weights and the pieces; raises FolioError where the model is missing or is no BERT with a unigram."""
    try:
        # Imported late: only a build needs them.
        from transformers import AutoModel, AutoTokenizer

        model = AutoModel.from_pretrained(name_or_path)
        tokenizer = AutoTokenizer.from_pretrained(name_or_path)
    except ImportError as error:
        raise FolioError("--source NAME needs transformers: pip install 'folio[build-models]'") from error
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise FolioError(f"--source {name_or_path} cannot be read as a model: {reason}") from error
    unigram = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    if model.config.model_type != "bert" or unigram["type"] != "Unigram":
        raise FolioError(
            f"--source {name_or_path} is {model.config.model_type} with a {unigram['type']} vocabulary: "
            "give a BERT with a Unigram vocabulary, such as intfloat/multilingual-e5-small"
        )
    state = {name: tensor.float().numpy() for name, tensor in model.state_dict().items()}
    names = {**OUTSIDE, **in_layers(model.config.num_hidden_layers)}
    named: dict[str, Floats] = {ours: state[theirs] for ours, theirs in names.items()}
    named["kind"] = state[KIND][0]
    return EncoderWeights(
        {name: np.asarray(tensor, dtype=np.float32) for name, tensor in named.items()},
        [(piece, score) for piece, score in unigram["vocab"]],
        layers=model.config.num_hidden_layers,
        heads=model.config.num_attention_heads,
        epsilon=model.config.layer_norm_eps,
    )
