"""The commands of the chat: `/name` and what follows it."""

import difflib
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from agent.repl.conversation import Conversation, new_session, write
from agent.settings import OFFLINE
from agent.view.ingest import problems_text, progress_bar, report_text
from agent.view.text import print_trace
from agent.view.why_not import verdict_text
from preprocessing.errors import FolioError
from retrieval.documents.catalogue import UnknownDocument
from retrieval.documents.outline import document_named
from retrieval.filters import parse_filters
from retrieval.text.dates import read_day
from retrieval.text.folding import language_of

_MOST_SESSIONS = 20
_SHOWN_CHARS = 60
_OFF = ("off", "none", "关", "无")

Command = Callable[[Conversation, str], None]


def run_command(conversation: Conversation, text: str) -> None:
    """Do what a line that begins with `/` says. Raises FolioError, which names the nearest, for no command."""
    name, _, rest = text.strip().replace("／", "/", 1).partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        near = difflib.get_close_matches(name.lower(), [*COMMANDS, *ENDING], n=1)
        hint = conversation.say("near", near=near[0]) if near else ""
        raise FolioError(conversation.say("no_command", name=name, hint=hint))
    command(conversation, rest.strip())


def model_text(conversation: Conversation) -> str:
    """Return the name of the chat model for a person."""
    name = conversation.assistant.settings.chat_model_name
    return conversation.say("offline") if name == OFFLINE else name


def _help(conversation: Conversation, _rest: str) -> None:
    write(conversation.say("help"))


def _sources(conversation: Conversation, rest: str) -> None:
    answer = conversation.answer
    if answer is None or not answer.citations:
        write(conversation.say("no_sources"))
        return
    if not rest:
        write("\n\n".join(f"[{one.label}] {one.source}\n{one.quote}" for one in answer.citations))
        return
    label = f"S{rest.upper().strip('[]').removeprefix('S')}"
    if label not in answer.passages:
        raise FolioError(conversation.say("no_source", name=rest, labels=", ".join(answer.passages)))
    chunk = answer.passages[label].chunk
    write(f"[{label}] {chunk.source}\n{chunk.heading}\n\n{chunk.text}")


def _trace(conversation: Conversation, _rest: str) -> None:
    if conversation.answer is None:
        write(conversation.say("nothing_asked"))
        return
    print_trace(conversation.assistant.traces.read(conversation.answer.trace_id))


def _why_not(conversation: Conversation, rest: str) -> None:
    document, *words = _words(rest) or [""]
    question = " ".join(words) or conversation.question
    if not document or not question:
        raise FolioError(conversation.say("why_not_usage"))
    base, viewer = conversation.assistant.knowledge_base, conversation.viewer or None
    # That it is not there is an answer too.
    with suppress(UnknownDocument):
        document = document_named(document, base.documents(viewer)).source
    verdict = base.why_not(question, document, filters=conversation.filters, viewer=viewer, as_of=conversation.as_of)
    write(verdict_text(verdict, language_of(question)))


def _new(conversation: Conversation, _rest: str) -> None:
    conversation.begin(new_session())
    write(conversation.say("session", name=conversation.session))


def _sessions(conversation: Conversation, rest: str) -> None:
    sessions = conversation.assistant.sessions
    names = sessions.sessions()
    if rest:
        if rest not in names:
            raise FolioError(conversation.say("no_session", name=rest))
        conversation.begin(rest)
        write(conversation.say("session", name=rest))
        return
    lines = []
    for name in names[:_MOST_SESSIONS]:
        turns = sessions.turns(name, list(conversation.viewer))
        last = " ".join(turns[-1].question.split())[:_SHOWN_CHARS] if turns else ""
        lines.append(f"{'*' if name == conversation.session else ' '} {name}  {last}".rstrip())
    write("\n".join(lines) or conversation.say("no_sessions"))


def _ingest(conversation: Conversation, rest: str) -> None:
    paths = _paths(rest)
    if not paths:
        raise FolioError(conversation.say("ingest_usage"))
    with progress_bar() as progress:
        report = conversation.assistant.knowledge_base.ingest(paths, None, progress)
    write("\n".join([*problems_text(report), report_text(report)]))


def _filter(conversation: Conversation, rest: str) -> None:
    if rest.lower() in _OFF:
        conversation.filters = {}
    elif rest:
        conversation.filters = parse_filters(_words(rest))
    pairs = [_pair(key, value) for key, values in conversation.filters.items() for value in values]
    write(conversation.say("filter", filter=" ".join(pairs)) if pairs else conversation.say("no_filter"))


def _as_of(conversation: Conversation, rest: str) -> None:
    if rest.lower() in _OFF:
        conversation.as_of = None
    elif rest:
        conversation.as_of = read_day(rest, "/as-of")
    day = conversation.as_of
    write(conversation.say("as_of", day=day) if day else conversation.say("no_as_of"))


def _model(conversation: Conversation, rest: str) -> None:
    if rest:
        conversation.assistant.use_model(rest)
    write(conversation.say("model", name=model_text(conversation)))


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


def _paths(rest: str) -> list[Path]:
    """Return the paths; a name with spaces needs no quotation marks when there is such a file."""
    if rest and Path(rest).expanduser().exists():
        return [Path(rest).expanduser()]
    return [Path(word).expanduser() for word in _words(rest)]


def _pair(key: str, value: str) -> str:
    return f"{key}{value}" if key.endswith(("=", "<", ">")) else f"{key}={value}"
