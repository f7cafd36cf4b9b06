"""The commands of the chat: `/name` and what follows it."""

import difflib
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from agent.repl.conversation import Conversation, new_session
from agent.settings import OFFLINE
from agent.view.ingest import problems_text, progress_bar, report_text
from agent.view.text import trace_text
from agent.view.why_not import verdict_text
from preprocessing.errors import FolioError
from retrieval.documents.catalogue import UnknownDocument
from retrieval.documents.outline import document_named
from retrieval.filters import parse_filters
from retrieval.text.dates import read_day
from retrieval.text.writing import language_of

_MOST_SESSIONS = 20
_SHOWN_CHARS = 60
_OFF = ("off", "none", "关", "无")

Command = Callable[[Conversation, str], str]
"""Does what its arguments say, and returns what to write."""


def run_command(conversation: Conversation, text: str) -> str:
    """Do what a line that begins with `/` says. Raises FolioError, which names the nearest, for no command."""
    name, _, rest = text.strip().replace("／", "/", 1).partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        near = difflib.get_close_matches(name.lower(), [*COMMANDS, *ENDING], n=1)
        hint = conversation.say("near", near=near[0]) if near else ""
        raise FolioError(conversation.say("no_command", name=name, hint=hint))
    return command(conversation, rest.strip())


def model_text(conversation: Conversation) -> str:
    """Return the name of the chat model for a person."""
    name = conversation.assistant.settings.chat_model_name
    return conversation.say("offline") if name == OFFLINE else name


def _help(conversation: Conversation, _rest: str) -> str:
    return conversation.say("help")


def _sources(conversation: Conversation, rest: str) -> str:
    answer = conversation.answer
    if answer is None or not answer.citations:
        return conversation.say("no_sources")
    if not rest:
        return "\n\n".join(f"[{one.label}] {one.source}\n{one.quote}" for one in answer.citations)
    label = f"S{rest.upper().strip('[]').removeprefix('S')}"
    if label not in answer.passages:
        raise FolioError(conversation.say("no_source", name=rest, labels=", ".join(answer.passages)))
    chunk = answer.passages[label].chunk
    return f"[{label}] {chunk.source}\n{chunk.heading}\n\n{chunk.text}"


def _trace(conversation: Conversation, _rest: str) -> str:
    if conversation.answer is None:
        return conversation.say("nothing_asked")
    return trace_text(conversation.assistant.traces.read(conversation.answer.trace_id))


def _why_not(conversation: Conversation, rest: str) -> str:
    document, *words = _words(rest) or [""]
    question = " ".join(words) or conversation.question
    if not document or not question:
        raise FolioError(conversation.say("why_not_usage"))
    base, viewer = conversation.assistant.knowledge_base, conversation.viewer or None
    # That it is not there is an answer too.
    with suppress(UnknownDocument):
        document = document_named(document, base.documents(viewer)).source
    verdict = base.why_not(question, document, filters=conversation.filters, viewer=viewer, as_of=conversation.as_of)
    return verdict_text(verdict, language_of(question))


def _new(conversation: Conversation, _rest: str) -> str:
    return _begun(conversation, new_session())


def _sessions(conversation: Conversation, rest: str) -> str:
    sessions = conversation.assistant.sessions
    names = sessions.sessions()
    if rest and rest not in names:
        raise FolioError(conversation.say("no_session", name=rest))
    if rest:
        return _begun(conversation, rest)
    lines = []
    for name in names[:_MOST_SESSIONS]:
        turns = sessions.turns(name, conversation.viewer)
        last = " ".join(turns[-1].question.split())[:_SHOWN_CHARS] if turns else ""
        lines.append(f"{'*' if name == conversation.session else ' '} {name}  {last}".rstrip())
    return "\n".join(lines) or conversation.say("no_sessions")


def _begun(conversation: Conversation, session: str) -> str:
    conversation.session, conversation.question, conversation.answer = session, "", None
    return conversation.say("session", name=session)


def _ingest(conversation: Conversation, rest: str) -> str:
    # A name with spaces needs no quotation marks when there is such a file.
    whole = Path(rest).expanduser()
    paths = [whole] if rest and whole.exists() else [Path(word).expanduser() for word in _words(rest)]
    if not paths:
        raise FolioError(conversation.say("ingest_usage"))
    with progress_bar() as progress:
        report = conversation.assistant.knowledge_base.ingest(paths, None, progress)
    return "\n".join([*problems_text(report), report_text(report)])


def _filter(conversation: Conversation, rest: str) -> str:
    if rest:
        conversation.filters = {} if rest.lower() in _OFF else parse_filters(_words(rest))
    pairs = [_pair(key, value) for key, values in conversation.filters.items() for value in values]
    return conversation.say("filter", filter=" ".join(pairs)) if pairs else conversation.say("no_filter")


def _as_of(conversation: Conversation, rest: str) -> str:
    if rest:
        conversation.as_of = None if rest.lower() in _OFF else read_day(rest, "/as-of")
    day = conversation.as_of
    return conversation.say("as_of", day=day) if day else conversation.say("no_as_of")


def _model(conversation: Conversation, rest: str) -> str:
    if rest:
        conversation.assistant.use_model(rest)
    return conversation.say("model", name=model_text(conversation))


COMMANDS: Mapping[str, Command] = {
    "/help": _help,
    "/sources": _sources,
    "/trace": _trace,
    "/why-not": _why_not,
    "/new": _new,
    "/sessions": _sessions,
    "/ingest": _ingest,
    "/filter": _filter,
    "/as-of": _as_of,
    "/model": _model,
}
ENDING = ("/exit", "/quit")
"""End the chat."""


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError:
        # A quotation mark that is not closed, as in an English question.
        return rest.split()


def _pair(key: str, value: str) -> str:
    return f"{key}{value}" if key.endswith(("=", "<", ">")) else f"{key}={value}"
