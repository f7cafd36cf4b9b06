"""The encoder's weights as a `transformers` model, to be trained further."""

from typing import TYPE_CHECKING

import numpy as np

from retrieval.models.weights import EncoderWeights, Floats

if TYPE_CHECKING:
    from transformers import BertForSequenceClassification

_OUTSIDE = {
    "words": "embeddings.word_embeddings.weight",
    "positions": "embeddings.position_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}
_IN_LAYER = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attention": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "norm": "output.LayerNorm",
}


def classifier(weights: EncoderWeights) -> "BertForSequenceClassification":
    """Return the encoder with an untrained pooler and one score on top, in float32."""
    # Imported late: only training needs them.
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    tensors = weights.tensors
    config = BertConfig(
        vocab_size=len(weights.pieces),
        hidden_size=tensors["kind"].size,
        num_hidden_layers=weights.layers,
        num_attention_heads=weights.heads,
        intermediate_size=len(tensors["0.inner.bias"]),
        max_position_embeddings=len(tensors["positions"]),
        type_vocab_size=1,
        layer_norm_eps=weights.epsilon,
        pad_token_id=1,
    )
    config.num_labels = 1
    model = BertForSequenceClassification(config)
    state = {f"bert.{name}": torch.from_numpy(array.copy()) for name, array in _named(weights)}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected
    assert all(name.startswith(("classifier.", "bert.pooler.")) for name in missing), missing
    return model


def _named(weights: EncoderWeights) -> list[tuple[str, Floats]]:
    tensors = weights.tensors
    named = [(theirs, tensors[ours]) for ours, theirs in _OUTSIDE.items()]
    named.append(("embeddings.token_type_embeddings.weight", tensors["kind"][None, :]))
    for layer in range(weights.layers):
        for ours, theirs in _IN_LAYER.items():
            for part in ("weight", "bias"):
                named.append((f"encoder.layer.{layer}.{theirs}.{part}", tensors[f"{layer}.{ours}.{part}"]))
    return [(name, np.ascontiguousarray(array, dtype=np.float32)) for name, array in named]
