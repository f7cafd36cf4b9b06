"""Documents: brought in, listed, shown and deleted."""

import json
import shutil
from functools import partial
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import APIRouter, Depends, File, Form, Path, Query, Request, Response, UploadFile
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from agent.http.door import AtDoor, Door, Reader, Writer, run_in, takes_form
from agent.http.keys import Caller
from agent.http.problems import Problem, Refused, as_problem, problems
from agent.http.uploads import DocumentTaken, Upload, bring_in, check_metadata, checked_name
from agent.view.bodies import Body, ListedDocument, Values, listed
from retrieval.documents.schema import DocumentRecord
from retrieval.ingest import Metadata


class Page(Body):
    """Which part of a list."""

    limit: int = Field(100, ge=1, le=1000)
    offset: int = Field(0, ge=0, le=10_000_000)


class ShownDocument(ListedDocument):
    """A document that the caller may see."""

    filename: str
    chunk_count: int


class DocumentList(BaseModel):
    """Documents by name."""

    total: int
    documents: list[ShownDocument]


class UploadState(BaseModel):
    """Where an upload is that is brought in after its request was answered."""

    upload_id: str
    filename: str
    status: Literal["waiting", "running", "done", "failed"]
    status_url: str
    document: DocumentTaken | None = None
    problem: Problem | None = None


router = APIRouter(tags=["documents"])

DocumentId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", examples=["0123456789abcdef"])]
UploadId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", examples=["5f0c1f6f0f0b4a43a1b2c3d4e5f60718"])]
_METADATA = TypeAdapter(dict[Annotated[str, Field(min_length=1)], str | Values])


@router.post(
    "/api/documents",
    status_code=201,
    response_model=DocumentTaken,
    dependencies=[Depends(takes_form)],
    responses={
        200: {"model": DocumentTaken, "description": "It was there already, and is now as sent."},
        202: {"model": UploadState, "description": "It is large, or waits for one that is; ask at `status_url`."},
        **problems(400, 409, 413, 415, 422, 502),
    },
)
async def upload_document(
    at: AtDoor,
    caller: Writer,
    request: Request,
    response: Response,
    file: Annotated[UploadFile, File(description="The document; its name is the name of the document.")],
    name: Annotated[str | None, Form(description="Another name, which may have folders: hr/leave.md.")] = None,
    metadata: Annotated[
        str | None,
        Form(description="JSON object: metadata key → value or values.", examples=['{"department": "hr"}']),
    ] = None,
    replace: Annotated[bool, Form(description="Take the place of the document of this name.")] = False,
) -> Any:
    """Bring a document in; one of the same name and other content is only replaced when that is said."""
    settings = at.assistant.settings.http
    called, about = checked_name(name or file.filename), _read_metadata(metadata)
    check_metadata(about, caller)
    if (file.size or 0) > settings.max_upload_bytes:
        raise Refused(413, f"{called} is larger than {settings.max_upload_mb} MB; split it")
    work = partial(bring_in, at.assistant.knowledge_base, caller, name=called, metadata=about, replace=replace)
    if (file.size or 0) > settings.background_bytes or at.uploads.waiting:
        upload = await run_in_threadpool(_later, at, caller, file.file, called, work)
        state = _state(at, caller, upload.id, request)
        return JSONResponse(state.model_dump(), 202, {"Location": state.status_url})
    data = await file.read()
    taken = await run_in(at.uploads.worker, partial(work, data=data))
    response.status_code = 201 if taken.outcome == "new" else 200
    response.headers["Location"] = f"/api/documents/{taken.document_id}"
    return taken


@router.get("/api/uploads/{upload_id}", responses=problems(404, 422))
def show_upload(upload_id: UploadId, at: AtDoor, caller: Writer, request: Request) -> UploadState:
    """Say where an upload is."""
    return _state(at, caller, upload_id, request)


@router.get("/api/documents", responses=problems(422))
def list_documents(at: AtDoor, caller: Reader, page: Annotated[Page, Query()]) -> DocumentList:
    """List the documents that the caller may see, by name; an administrator sees all."""
    shown = _visible(at, caller)
    return DocumentList(total=len(shown), documents=shown[page.offset : page.offset + page.limit])


@router.get("/api/documents/{document_id}", responses=problems(404, 422))
def show_document(document_id: DocumentId, at: AtDoor, caller: Reader) -> ShownDocument:
    """Show one document."""
    return _find(at, caller, document_id)


@router.delete("/api/documents/{document_id}", status_code=204, responses=problems(404, 409, 422, 502))
def delete_document(document_id: DocumentId, at: AtDoor, caller: Writer) -> None:
    """Take a document out; a file that it was made from stays."""
    _find(at, caller, document_id)
    at.assistant.knowledge_base.delete(document_id)


def _visible(at: Door, caller: Caller) -> list[ShownDocument]:
    records = at.assistant.knowledge_base.documents(caller.listed_for)
    names = {record.source for record in records}
    return [shown(record, names) for record in records]


def _find(at: Door, caller: Caller, doc_id: str) -> ShownDocument:
    for document in _visible(at, caller):
        if document.document_id == doc_id:
            return document
    raise Refused(404, f"there is no document {doc_id!r}")


def shown(record: DocumentRecord, names: set[str]) -> ShownDocument:
    """Return a document as it is shown to a caller who may see those of these names."""
    return ShownDocument(
        **listed(record, names).model_dump(),
        filename=PurePosixPath(record.source).name,
        chunk_count=record.chunks,
    )


def _read_metadata(given: str | None) -> Metadata:
    if not given:
        return {}
    try:
        read = _METADATA.validate_python(json.loads(given))
    except (ValueError, ValidationError, RecursionError):
        raise Refused(
            422, 'metadata: must be a JSON object of texts or lists of texts, such as {"department": "hr"}'
        ) from None
    return {key: value if isinstance(value, str) else tuple(value) for key, value in read.items()}


def _later(at: Door, caller: Caller, file: BinaryIO, called: str, work: Any) -> Upload:
    kept = _kept(file)
    try:
        return at.uploads.later(caller.id, PurePosixPath(called).name, partial(_from_file, kept, work))
    except BaseException:
        kept.close()
        raise


def _kept(file: BinaryIO) -> BinaryIO:
    # The file of the request is gone when it is answered; this one is on disk, so that waiting takes no memory.
    kept: Any = TemporaryFile()  # noqa: SIM115  closed by whoever reads it
    shutil.copyfileobj(file, kept)
    return kept  # type: ignore[no-any-return]


def _from_file(kept: BinaryIO, work: Any) -> DocumentTaken:
    with kept:
        kept.seek(0)
        taken: DocumentTaken = work(data=kept.read())
    return taken


def _state(at: Door, caller: Caller, upload_id: str, request: Request) -> UploadState:
    upload = at.uploads.find(upload_id, caller.id)
    return UploadState(
        upload_id=upload.id,
        filename=upload.filename,
        status=upload.status,
        status_url=f"/api/uploads/{upload.id}",
        document=upload.document,
        problem=as_problem(request, upload.failure.status, upload.failure.detail) if upload.failure else None,
    )
