"""Where a model is asked, which settings say so, and how asking can fail."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit, urlunsplit

from pydantic import SecretStr

from preprocessing.errors import FolioError

_ABOUT_LENGTH = re.compile(r"token|context|length|too long|too large|characters|过长|超长|长度|字符", re.I)


class EndpointError(FolioError):
    """A model behind an address could not be asked; the message names what to mend."""


class RequestRefused(EndpointError):
    """The server is there but does not take this request; fewer or shorter texts may help."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.about_length = _ABOUT_LENGTH.search(said) is not None
        """Whether the server's words are about how long a text is."""


class EndpointBusy(EndpointError):
    """The server is not there, or cannot answer now; the same request may work later."""

    def __init__(self, message: str, *, wait_seconds: float | None = None, silent: bool = False) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds
        """How long the server asks to wait."""
        self.silent = silent
        """Whether there was no answer at all."""


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """What is asked, where, with which key, and the settings that hold each."""

    what: str
    """Such as `the embedding model 'bge-m3'`."""
    url: str
    url_setting: str
    key: SecretStr | None
    key_setting: str
    model_setting: str

    @property
    def parts(self) -> SplitResult:
        """Return the address in its parts; raises EndpointError when it is none."""
        try:
            parts = urlsplit(self.url.strip())
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            # The value is not repeated: it may hold a password.
            raise EndpointError(f"{self.url_setting} must be a whole address, such as http://localhost:8000/v1")
        return parts

    @property
    def host(self) -> str:
        """Return host and port, without a user name or password."""
        return self.parts.netloc.rpartition("@")[2]

    @property
    def named(self) -> str:
        """Return what is asked and where, as errors name it."""
        return f"{self.what} at {self.host}"

    @property
    def shown(self) -> str:
        """Return the address without a user name, a password or a query."""
        return urlunsplit((self.parts.scheme, self.host, self.parts.path, "", ""))

    @property
    def on_this_machine(self) -> bool:
        """Say whether the address is one of this machine's own."""
        host = self.parts.hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def headers(self) -> dict[str, str]:
        """Return the headers of a request; raises EndpointError for a key that none can hold."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = self._secret()
        if not key.isascii() or not key.isprintable():
            raise EndpointError(f"{self.key_setting} must be the key alone, in plain letters, digits and signs")
        return {**headers, "Authorization": f"Bearer {key}"} if key else headers

    def without_key(self, text: str) -> str:
        """Return the text with the key masked, for servers that send it back in their errors."""
        key = self._secret()
        return text.replace(key, "***") if key else text

    def _secret(self) -> str:
        return self.key.get_secret_value().strip() if self.key else ""
