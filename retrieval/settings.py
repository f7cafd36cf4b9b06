"""Settings of everything below the agent."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from preprocessing.prepare import ChunkingSettings

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
    """`bundled` (multilingual-e5-small, nothing to download), or the name or path of a sentence-transformers model."""

    qdrant_url: str | None = None
    """Address of a Qdrant server or cluster; without it the store is a folder under `home`."""
    qdrant_api_key: SecretStr | None = None
    qdrant_collection: str = "folio"

    rerank_model: str | None = None
    """Name or path of a cross-encoder; without it the fused order is used."""

    candidates: int = Field(20, ge=1)
    """How many hits each leg gives to fusion, and fusion to the reranker."""
    rrf_k: int = Field(60, ge=0)
    vector_weight: Weight = 1.0
    keyword_weight: Weight = 1.0

    chunking: ChunkingSettings = ChunkingSettings()
    """`FOLIO_CHUNKING__PIECE_CHARS` and so on."""
