"""What the tensors of a BERT are called in `transformers`, by our names; read and written alike."""

OUTSIDE = {
    "words": "embeddings.word_embeddings.weight",
    "positions": "embeddings.position_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}
KIND = "embeddings.token_type_embeddings.weight"
"""One row a kind of text; the first is ours."""
HEAD = {
    "pooler.weight": "pooler.dense.weight",
    "pooler.bias": "pooler.dense.bias",
    "score.weight": "classifier.weight",
    "score.bias": "classifier.bias",
}
"""What a cross-encoder has on top."""
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


def in_layers(layers: int) -> dict[str, str]:
    """Return the names of the weights and biases of every layer."""
    return {
        f"{layer}.{ours}.{part}": f"encoder.layer.{layer}.{theirs}.{part}"
        for layer in range(layers)
        for ours, theirs in _IN_LAYER.items()
        for part in ("weight", "bias")
    }
