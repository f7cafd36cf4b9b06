"""Which kind of body a route takes."""

from fastapi import Request

from agent.http.problems import Refused


def takes_json(request: Request) -> None:
    """Refuse a body that does not say that it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise Refused(415, f"the body is {kind or 'of no stated type'}; send Content-Type: application/json")


def takes_form(request: Request) -> None:
    """Refuse a body that is no form with files."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "multipart/form-data":
        raise Refused(
            415, f"the body is {kind or 'of no stated type'}; send the file as multipart/form-data, as curl -F does"
        )
