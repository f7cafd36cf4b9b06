"""The encoder's weights as a `transformers` model, to be trained further."""

from typing import TYPE_CHECKING

from retrieval.models.bert_names import KIND, OUTSIDE, in_layers
from retrieval.models.weights import EncoderWeights, Floats

if TYPE_CHECKING:
    from transformers import BertForSequenceClassification


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
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    config.num_labels = 1
    model = BertForSequenceClassification(config)
    state = {f"bert.{name}": torch.from_numpy(array.copy()) for name, array in _named(weights).items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected
    assert all(name.startswith(("classifier.", "bert.pooler.")) for name in missing), missing
    return model


def _named(weights: EncoderWeights) -> dict[str, Floats]:
    names = {**OUTSIDE, **in_layers(weights.layers)}
    return {KIND: weights.tensors["kind"][None, :], **{theirs: weights.tensors[ours] for ours, theirs in names.items()}}
