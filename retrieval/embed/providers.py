"""How many texts the providers of `/embeddings` take in one request, as far as they say so."""

_MOST_TEXTS = {
    "api.openai.com": 2048,
    "openai.azure.com": 2048,
    "aliyuncs.com": 10,
    "siliconflow.cn": 32,
    "siliconflow.com": 32,
    "bigmodel.cn": 64,
    "z.ai": 64,
    "volces.com": 10,
    "bytepluses.com": 10,
    "baidubce.com": 16,
    "generativelanguage.googleapis.com": 100,
    "api.cohere.com": 96,
}
_UNKNOWN = 32
"""What text-embeddings-inference takes unless it is told otherwise; most local servers take more."""
_ENOUGH = 128
"""A request of more texts takes longer to send and read than it saves."""


def most_texts(hostname: str) -> int:
    """Return how many texts to send at once to the host; who takes fewer says so, and `Batches` heeds it."""
    limits = (limit for host, limit in _MOST_TEXTS.items() if hostname == host or hostname.endswith(f".{host}"))
    return min(next(limits, _UNKNOWN), _ENOUGH)
