"""Settings of the HTTP server; each is the variable `FOLIO_HTTP__<NAME>`."""

from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator


class HttpSettings(BaseModel):
    """Where the server listens and how much it takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = Field("127.0.0.1", min_length=1)
    port: int = Field(8000, ge=0, le=65535)
    """0 is any port that is free."""
    requests_per_minute: int = Field(120, ge=0)
    """Of one key; 0 is no limit."""
    answers_at_once: int = Field(16, ge=1)
    """Questions that are answered at a time; others wait for their turn."""
    max_upload_mb: int = Field(100, ge=1, le=100)
    background_mb: float = Field(2, ge=0, allow_inf_nan=False)
    """Uploads above this size are answered at once and brought in afterwards."""
    cors_origins: str = ""
    """Origins of web pages elsewhere that may call the server, parted by commas, such as `https://intranet.example`."""

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, value: str) -> str:
        for origin in _parted(value):
            parts = urlsplit(origin)
            if (
                parts.scheme not in ("http", "https")
                or not parts.netloc
                or origin != f"{parts.scheme}://{parts.netloc}"
            ):
                raise ValueError("must be origins parted by commas, such as https://intranet.example")
        return value

    @property
    def origins(self) -> tuple[str, ...]:
        """Return the origins one by one."""
        return tuple(_parted(self.cors_origins))

    @property
    def max_upload_bytes(self) -> int:
        """Return the most bytes that an uploaded file may have."""
        return self.max_upload_mb * 2**20

    @property
    def background_bytes(self) -> float:
        """Return the size above which an upload is brought in afterwards."""
        return self.background_mb * 2**20


def _parted(value: str) -> list[str]:
    return [origin.strip() for origin in value.split(",") if origin.strip()]
