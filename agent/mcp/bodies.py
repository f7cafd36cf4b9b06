"""What the tools take and give, beside what the HTTP server takes and gives in the same form."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from agent.http.document_bodies import ListedDocument
from agent.http.shapes import Body, Narrowed, Question, SessionName, TopK

MOST_CHARS = 12_000
"""Of a document that one call gives: what a model reads well at a time."""

Name = Annotated[str, Field(min_length=1, max_length=1000, json_schema_extra={"pattern": r"\S"})]


class SearchArguments(Narrowed):
    """A search for passages."""

    query: Question = Field(description="What to look for, in Chinese or English; a whole question is best.")
    top_k: TopK = Field(5, description="How many passages.")
    mode: Literal["hybrid", "vector", "keyword"] = Field("hybrid", description="keyword is for exact words and codes.")


class AskArguments(Narrowed):
    """A question."""

    question: Question = Field(description="The question as the person asked it, in Chinese or English.")
    session: SessionName | None = Field(
        None, description="Name of the conversation; the same name again lets a question refer to those before it."
    )
    top_k: TopK | None = Field(None, description="Passages that one search shows to the model.")


class ListArguments(Body):
    """Which documents to list."""

    name: str = Field("", max_length=1000, description="Only documents with this in their name or title.")
    limit: int = Field(100, ge=1, le=1000)
    offset: int = Field(0, ge=0, le=10_000_000, description="How many to pass over.")


class ReadArguments(Body):
    """What to read."""

    document: Name = Field(description="Id, name or file name of the document, as in a passage or in the list.")
    section: Name | None = Field(
        None,
        description="Heading, or headings from the outermost on, parted by >; all beneath is read too. Without it, the "
        "document is read from its beginning.",
        examples=["休假制度 > 年假"],
    )
    offset: int = Field(0, ge=0, description="Characters to pass over: next_offset of the call before.")


class ListedDocuments(BaseModel):
    """Documents by name."""

    total: int = Field(description="How many there are, also those that this call does not list.")
    documents: list[ListedDocument]


class ReadText(BaseModel):
    """Text of a document, word for word."""

    document_id: str
    source: str
    title: str
    superseded_by: str | None = Field(description="Name of the document that took its place.")
    section: str | None = Field(description="What was asked for; null is the whole document.")
    page: int | None = Field(description="Page on which the text begins, where the document has pages.")
    text: str
    next_offset: int | None = Field(description="Where to go on reading; null at the end.")
    sections: list[str] = Field(description="Headings of all sections of the document.")
