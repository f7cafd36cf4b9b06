"""The evidence of one question: its passages under short labels that code resolves, and their text as mere data.

Text of documents goes to a model and comes back as data, never as part of the conversation.
"""

import re
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agent.react.labels import COMMON_WORDS, find_labels
from preprocessing.load.hidden_text import ZERO_WIDTH, tags_of
from prompts import approximate_tokens
from retrieval.hit import Hit
from retrieval.text.tokens import STOP_TOKENS, tokenize

_ASKING = frozenset("天 次 几天 几次 几个 几种 多长 多久 请 问 查询 查找 搜索 告诉 please tell find search".split())
"""Words of a search that say nothing of what is looked for, beside the stop words."""

JOINER = "\u2060"
"""Word joiner: it breaks up a word for a program, and shows nothing to a reader."""
CUT = "(cut to fit)"

_CITATION = re.compile(r"([\[［【(（])(?=\s*[SsＳｓ]\s*[\d０-９])")
_JOINED_CITATION = re.compile(
    rf"[\[［【(（]{JOINER}\s*([SsＳｓ]\s*[\d０-９]+(?:\s*[,，、;；/&–-]\s*[SsＳｓ]?\s*[\d０-９]+)*)\s*[\]］】)）]"
)
_FORMAT_MARK = re.compile(
    r"[<＜](?=[|｜/]?\s*(?:passages?|tool_calls?|function_calls?|think|system|assistant|user|im_start|im_end)\b)"
    r"|[<＜](?=[|｜])|\[(?=/?(?:INST|TOOL_CALLS)\])"
    r"|[{｛](?=\s*[\"'“](?:action|tool|name|function|tool_call|final_answer|行动|工具)[\"'”]\s*[:：])",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")
_ROLE = re.compile(r"^(\W*)(?=(?:system|assistant|user|human|developer|系统|用户|助手)\W{0,3}[:：])", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One passage under its label."""

    label: str
    """`S1`, `S2`, … in the order in which passages were found."""
    hit: Hit


@dataclass(frozen=True, slots=True)
class Search:
    """One search of this question and the labels it found."""

    query: str
    labels: tuple[str, ...]


@dataclass(slots=True)
class EvidenceLedger:
    """All passages of one question, each once."""

    searches: list[Search] = field(default_factory=list)
    rounds: int = 0
    """Times that searches were run; several queries of one call count once."""
    repeats: int = 0
    """Times that a search was refused because it was made before or because the cap was reached."""
    sub_questions: tuple[str, ...] = ()
    """What a rewrite made of a broad question, each to be searched."""
    mark: str = field(default_factory=lambda: secrets.token_hex(4))
    """Stands beside the passages of this question; no document can know it."""
    _by_chunk: dict[str, Evidence] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._by_chunk)

    def record(self, query: str, hits: Sequence[Hit]) -> list[Evidence]:
        """Note a search and return the evidence that it found for the first time."""
        new: list[Evidence] = []
        for hit in hits:
            if hit.chunk.chunk_id not in self._by_chunk:
                new.append(Evidence(f"S{len(self._by_chunk) + 1}", hit))
                self._by_chunk[hit.chunk.chunk_id] = new[-1]
        self.searches.append(Search(query, tuple(self._by_chunk[hit.chunk.chunk_id].label for hit in hits)))
        return new

    def already(self, query: str) -> Search | None:
        """Return the earlier search for the same: the same words, in whatever order, case, width and form of asking."""
        return next((search for search in self.searches if is_same_search(search.query, query)), None)

    def unsearched(self) -> list[str]:
        """Return the sub-questions that were not searched yet."""
        return [question for question in self.sub_questions if not self.already(question)]

    def all(self) -> list[Evidence]:
        """Return the evidence in the order of its labels."""
        return list(self._by_chunk.values())

    def passages(self) -> dict[str, str]:
        """Return the text of each label that an answer may rely on: headings included."""
        return {evidence.label: supporting(evidence.hit.chunk.search_text) for evidence in self.all()}

    def get(self, label: str) -> Evidence:
        """Return the evidence under the label; raise KeyError when there is none."""
        return {evidence.label: evidence for evidence in self.all()}[label]


def format_passage(evidence: Evidence) -> str:
    """Return the passage as the model sees it: where it stands, then its text as a quotation.

    Every line of the text begins with `|`, so that nothing in a document can begin a line of the agent's own format,
    and what imitates that format is made harmless.
    """
    chunk = evidence.hit.chunk
    page = f", p. {chunk.page}" if chunk.page else ""
    version = f", version {chunk.version}" if chunk.version else ""
    quoted = "\n".join(f"| {line}" for line in harmless(chunk.text).splitlines())
    return f"[{evidence.label}] {_one_line(chunk.heading)} ({_one_line(chunk.source + page + version)})\n{quoted}"


def best_passages(ledger: EvidenceLedger, room: int) -> str:
    """Return the passages of a question within so many tokens: the best of each search first, in order of labels."""
    ranks: dict[str, int] = {}
    for search in ledger.searches:
        for rank, label in enumerate(search.labels):
            ranks[label] = min(rank, ranks.get(label, rank))
    kept: list[tuple[Evidence, str]] = []
    for evidence in sorted(ledger.all(), key=lambda one: ranks.get(one.label, 0)):
        text = format_passage(evidence)
        if kept and approximate_tokens(text) > room:
            continue
        kept.append((evidence, text if approximate_tokens(text) <= room else cut_passage(text, room)))
        room -= approximate_tokens(text)
    shown = [text for evidence, text in sorted(kept, key=lambda one: int(one[0].label[1:]))]
    if len(kept) < len(ledger):
        left_out = {evidence.label for evidence in ledger.all()} - {evidence.label for evidence, _ in kept}
        shown.append(f"(left out to fit: {label_ranges(list(left_out))})")
    return "\n\n".join(shown)


def cut_passage(passage: str, room: int) -> str:
    """Return the beginning of a passage within so many tokens."""
    kept = passage
    while approximate_tokens(kept) > room and len(kept) > 1:
        kept = kept[: int(len(kept) * min(0.9, room / approximate_tokens(kept)))]
    return f"{kept.rstrip()}\n| {CUT}"


def is_same_search(query: str, other: str) -> bool:
    """Say whether two queries look for the same: the same letters, or the same words but for those of asking."""
    if _letters(query) == _letters(other):
        return True
    words = words_of(query) - _ASKING
    return bool(words) and words == words_of(other) - _ASKING


def label_ranges(labels: Sequence[str]) -> str:
    """Return labels in short: `S1–S3, S7`."""
    numbers = sorted({int(label[1:]) for label in labels})
    starts = [number for number in numbers if number - 1 not in numbers]
    ends = [number for number in numbers if number + 1 not in numbers]
    return ", ".join(f"S{a}" if a == b else f"S{a}–S{b}" for a, b in zip(starts, ends, strict=True))


def _one_line(text: str) -> str:
    return " ".join(harmless(text).split())


def _letters(query: str) -> str:
    folded = unicodedata.normalize("NFKC", query).casefold()
    return "".join(character for character in folded if character.isalnum())


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text but the stop words."""
    return frozenset(tokenize(text, characters=False)) - STOP_TOKENS


def format_place(source: str, section: str, page: int | None, *, chinese: bool) -> str:
    """Return `source › section › page`, leaving out what the document does not have."""
    page_text = (f"第 {page} 页" if chinese else f"p. {page}") if page else ""
    return " › ".join(part for part in (source, section, page_text) if part)


def harmless(text: str) -> str:
    """Return a text of a document as a model is shown it; a reader sees no difference.

    Labels of the agent's format, tool calls, citation labels and marks of chat templates are broken up by a character
    that does not show. No word is taken out: what a document says is evidence, whomever it speaks to.
    """
    return _without_format(_visible(text))


def harmless_turns(history: str) -> str:
    """Return a conversation in which nothing begins like the agent's format but its own `User:` and `Assistant:`."""
    lines: list[str] = []
    for line in history.split("\n"):
        own = re.match(r"(?:User|Assistant): |", line)
        begin = own.end() if own else 0
        lines.append(line[:begin] + (_without_format(line[begin:])))
    return "\n".join(lines)


def plain(text: str) -> str:
    """Return words that came back from a model without joiners; a document's own `[S1]` cites nothing, as `S1`."""
    return _JOINED_CITATION.sub(r"\1", text).replace(JOINER, "")


def supporting(text: str) -> str:
    """Return a document's text as an answer may rest on it: what shows, in which a label of its own cites nothing."""
    return plain(_CITATION.sub(rf"\1{JOINER}", _visible(text))).strip("\n")


def fenced(text: str, mark: str) -> str:
    """Return passages between two lines with the mark of this question, which no document can know."""
    return f"<passages {mark}>\n{text.replace(mark, '')}\n</passages {mark}>"


def _without_format(text: str) -> str:
    shown = _CITATION.sub(rf"\1{JOINER}", text)
    shown = _FORMAT_MARK.sub(rf"\g<0>{JOINER}", shown)
    return _ROLE.sub(rf"\1{JOINER}", _without_labels(shown))


def _visible(text: str) -> str:
    """Return the text without characters that show nothing."""
    return ZERO_WIDTH.sub("", text.translate(dict.fromkeys(map(ord, tags_of(text)))))


def _without_labels(text: str) -> str:
    """Break up the labels that a reply could begin a step with; words such as "Answer:" are too common to mean one."""
    pieces, done = [], 0
    for place in _label_words(text):
        pieces += [text[done : place + 1], JOINER]
        done = place + 1
    return "".join([*pieces, text[done:]])


def _label_words(text: str) -> Iterator[int]:
    """Yield where the words of labels begin."""
    for label in find_labels(text):
        word = _WORD.search(text, label.start, label.end)
        said = text[label.start : label.end].strip(" \t*#>-:：").lower()
        if word and label.kind not in ("question", "call") and said not in (*COMMON_WORDS, "input", "输入", "参数"):
            yield word.start()
