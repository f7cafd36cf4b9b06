"""The labels in an answer, such as [S1], the sentences that they belong to, and the links that may stay in it."""

import re
from collections.abc import Container, Iterable, Iterator

from preprocessing.sentences import sentences

_ONE_LABEL = r"[SsＳｓ]\s?\d{1,3}"
_LABELS = rf"[\[【［(（]\s*{_ONE_LABEL}(?:\s*[,，、;；/&\-–~和及]?\s*{_ONE_LABEL})*\s*[\]】］)）]"
_LABEL_GROUP = re.compile(_LABELS)
_TABLE_RULE = re.compile(r"^[\s|:+-]*$")
_URL = r"(?:https?|ftp)://[^\s()\[\]<>\"'”’）】」，。；！？、]+|(?:javascript|data|file):[^\s)\]>]+"
_LINK = re.compile(
    rf"(?P<image>!?)\[(?P<text>[^\]\n]*)\]\(\s*(?P<target>[^)\n]*)\)|<?(?P<bare>{_URL})>?", re.IGNORECASE
)
_HTML = re.compile(
    r"<\s*/?\s*(?:img|a|iframe|script|link|object|embed|video|audio|form|svg|style)\b[^>]*>", re.IGNORECASE
)


def cited_labels(answer: str) -> list[str]:
    """Return the labels of an answer as `S1`, in order, each once."""
    return list(dict.fromkeys(label for group in _LABEL_GROUP.findall(answer) for label in _labels_in(group)))


def without_labels(text: str) -> str:
    """Return the text with a space in the place of each group of labels."""
    return _LABEL_GROUP.sub(" ", text)


def remove_unknown_labels(answer: str, known: Container[str]) -> tuple[str, list[str]]:
    """Return the answer with its known labels written as `[S1]`, and the labels that were removed.

    `known` holds labels such as `S1`.
    """
    removed: dict[str, None] = {}

    def rewrite(match: re.Match[str]) -> str:
        labels = _labels_in(match[2])
        removed.update(dict.fromkeys(label for label in labels if label not in known))
        if kept := "".join(f"[{label}]" for label in dict.fromkeys(labels) if label in known):
            return match[1] + kept + match[3]
        before, after = answer[: match.start()][-1:], answer[match.end() :][:1]
        if before in ("", "\n") or not after:
            return match[1] if before in ("", "\n") else ""
        joins_words = before.isascii() and before.isalnum() and after.isascii() and after.isalnum()
        return match[3] or (" " if joins_words else "")

    cleaned = re.sub(rf"([ \t]*)({_LABELS})([ \t]*)", rewrite, answer)
    return cleaned, list(removed)


def split_claims(answer: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return each sentence as it stands in the answer, with the labels in it or right after it."""
    return [(answer[start:end], tuple(cited_labels(answer[start:end]))) for start, end in claim_spans(answer)]


def claim_spans(answer: str) -> list[tuple[int, int]]:
    """Return where each sentence begins and ends.

    A line, a list item or a table row is at least one sentence; a line of labels belongs to the sentence before it.
    """
    spans: list[tuple[int, int]] = []
    position = 0
    for line in answer.splitlines(keepends=True):
        for start, end in _sentence_spans(line):
            if spans and _is_only_labels(line[start:end]):
                spans[-1] = (spans[-1][0], position + end)
            else:
                spans.append((position + start, position + end))
        position += len(line)
    return spans


def _sentence_spans(line: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a line begin and end, without the white space around them."""
    if _TABLE_RULE.match(line):
        return
    # Blanks go with the sentence before them, and so do labels that are made blanks.
    blanked = _LABEL_GROUP.sub(lambda group: " " * len(group[0]), line)
    start = 0
    for part in [blanked] if line.lstrip().startswith("|") else sentences(blanked):
        piece = line[start : start + len(part)]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        start += len(part)


def _is_only_labels(sentence: str) -> bool:
    return not re.sub(r"[\s。.；;，,*]", "", _LABEL_GROUP.sub("", sentence))


def _labels_in(group: str) -> list[str]:
    return [f"S{int(digits)}" for digits in re.findall(r"\d+", group)]


def without_foreign_links(answer: str, passages: Iterable[str]) -> str:
    """Return the answer without addresses that no passage holds; of an image its text stays.

    A model that was talked into it could carry what was said out in an address, which a page may load unasked.
    """
    known = "\n".join(passages)

    def mend(link: re.Match[str]) -> str:
        if link["bare"]:
            url = link["bare"].rstrip(".,;:")
            return link[0] if url in known else link["bare"][len(url) :]
        target = link["target"].strip().partition(" ")[0].strip("<>")
        if link["image"] or not target or target not in known:
            return link["text"] if not re.fullmatch(r"[SsＳｓ]\s?\d+", link["text"].strip()) else f"[{link['text']}]"
        return link[0]

    return _HTML.sub("", _LINK.sub(mend, answer))
