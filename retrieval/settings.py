"""Settings of everything below the agent."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from preprocessing.prepare import ChunkingSettings

RerankKind = Literal["token", "cross-encoder", "none"]
RerankFormName = Literal["jina", "cohere", "siliconflow", "dashscope", "tei"]
Weight = Annotated[float, Field(ge=0)]


class RetrievalSettings(BaseSettings):
    """Where documents are kept and how they are searched; each field is the variable `FOLIO_<NAME>`."""

    model_config = SettingsConfigDict(
        env_prefix="FOLIO_",
        env_nested_delimiter="__",
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    home: Path = Path(".folio")
    """Folder of the index, the sessions and the traces."""

    embed_model: str = "bundled"
    """`bundled` (multilingual-e5-small, nothing to download), the name or path of a sentence-transformers model, or
    the name of the model at `embed_base_url`."""
    embed_base_url: str | None = None
    """OpenAI-compatible address at which the embedding model is asked, such as `http://localhost:8000/v1`."""
    embed_api_key: SecretStr | None = None
    embed_dimensions: int | None = Field(None, ge=1)
    """Length of vector to ask of a model that has several; None is the model's own."""
    embed_batch: int | None = Field(None, ge=1)
    """Texts in one request; None is what the provider is known to take."""
    embed_max_tokens: int | None = Field(None, ge=64)
    """Tokens that the model at `embed_base_url` reads of a text, for a server that drops the rest without a word."""
    embed_query_prefix: str | None = None
    """Text before each question; None is what the model's family is known to want, and a blank is none."""
    embed_passage_prefix: str | None = None

    qdrant_url: str | None = None
    """Address of a Qdrant server or cluster; without it the store is a folder under `home`."""
    qdrant_api_key: SecretStr | None = None
    qdrant_collection: str = "folio"
    qdrant_shard_number: int | None = Field(None, ge=1)
    """Parts of a new collection, which a cluster spreads over its nodes; None leaves it to the server."""
    qdrant_replication_factor: int | None = Field(None, ge=1)
    """Copies of each part of a new collection; 2 outlives the loss of a node. None leaves it to the server."""

    database_url: SecretStr | None = None
    """SQLAlchemy address of the database of documents, conversations, their traces and keys, for processes that share
    a Qdrant server; without it, files under `home`."""

    rerank: RerankKind | None = None
    """`token` (the bundled encoder, nothing to download), `cross-encoder` (`rerank_model`), or `none`. None is the
    cross-encoder where `rerank_model` or `rerank_url` is set, and `token` where neither is."""
    rerank_model: str | None = None
    """Name or path of a cross-encoder, or name of the model at `rerank_url`."""
    rerank_url: str | None = None
    """Address of a `/rerank` service, such as `https://api.siliconflow.cn/v1/rerank`."""
    rerank_api_key: SecretStr | None = None
    rerank_form: RerankFormName | None = None
    """What that service understands, where its address does not say so."""
    rerank_max_tokens: int | None = Field(None, ge=128)
    """Tokens of question and passage that the model at `rerank_url` reads; longer passages are read in windows."""

    candidates: int = Field(20, ge=1)
    """How many hits each leg gives to fusion, and fusion to the reranker."""
    rrf_k: int = Field(60, ge=0)
    vector_weight: Weight = 1.0
    keyword_weight: Weight = 1.0

    chunking: ChunkingSettings = ChunkingSettings()
    """`FOLIO_CHUNKING__PIECE_CHARS` and so on."""
