"""Cut the final answer out of a reply, whole or while it still arrives."""

import re

from agent.react.calls import leading_call, says_none
from agent.react.clean import unfenced, without_half_stop, without_stray_fence
from agent.react.labels import CLOSING_MARKS, OPENING_MARKS, Label, find_labels, may_become_label, read_reply

_HALF_TAG = re.compile(r"[<◁\[][^<>\[\]\n]{0,24}$")


def final_answer(text: str, opened: str = "", *, complete: bool = True) -> str:
    """Return the answer that begins the text, with its Markdown; of an incomplete reply, what is settled.

    `opened` holds the marks that its label left open.
    """
    labels = find_labels(text, complete=complete)
    for _ in range(2):  # the label once more, often in the other language
        if labels and labels[0].kind == "final" and not text[: labels[0].start].strip():
            text, opened = text[labels[0].end :], labels[0].opened
            labels = find_labels(text, complete=complete)
    end = _answer_end(text, labels)
    if not complete and end == len(text):
        end = _settled_end(text, labels)
    answer = without_stray_fence(text[:end].strip())
    if complete:
        answer = without_half_stop(answer, 3)
    elif not answer.strip(OPENING_MARKS + CLOSING_MARKS):
        return ""
    return opened + answer if answer else ""


def _answer_end(text: str, labels: list[Label]) -> int:
    """Return where the model, having answered, begins to invent another turn.

    A label on the line of "Final Answer:" itself is text, and so is an action without its input on the next line.
    """
    for index, label in enumerate(labels):
        following = labels[index + 1] if index + 1 < len(labels) else None
        if not label.new_turn or label.start == 0:
            continue
        if label.kind != "action" or _is_turn(text, label, following):
            return label.start
    return len(text)


def _is_turn(text: str, action: Label, following: Label | None) -> bool:
    """Tell an invented action, with its input on the next line or "None", from a line of the answer."""
    if says_none(text[action.end :].partition("\n")[0]):
        return True
    if following is None or following.kind != "input":
        return False
    return "\n" not in text[action.end : following.start].strip()


def _settled_end(text: str, labels: list[Label]) -> int:
    """Return the end of the text that no further piece can turn into a label, a tag or another turn."""
    end = len(text)
    if half_tag := _HALF_TAG.search(text):
        end = half_tag.start()
    line = text.rfind("\n", 0, end) + 1
    if may_become_label(text[line:end]):
        end = line
    if labels and labels[-1].kind == "action" and labels[-1].new_turn:
        _, _, below = text[labels[-1].end : end].partition("\n")
        if not below.strip():  # its input may yet come
            end = min(end, labels[-1].start)
    return end


class AnswerStream:
    """Pass on only the text of the final answer while a reply arrives piece by piece.

    What `feed` and `finish` return, joined, is the output that the parser finds after a "Final Answer" label; a
    reply that answers in another way gives nothing here.
    """

    def __init__(self) -> None:
        self._reply = ""
        self._shown = ""

    def feed(self, piece: str) -> str:
        """Return the answer text that is certain now and was not returned before."""
        self._reply += piece
        return self._release(complete=False)

    def finish(self) -> str:
        """Return the rest of the answer at the end of the reply."""
        return self._release(complete=True)

    def _release(self, *, complete: bool) -> str:
        answer = _answer_so_far(self._reply, complete=complete)
        # A lone closing tag shows late that the text so far was thinking; what is out cannot be taken back.
        if not answer.startswith(self._shown):
            return ""
        fresh = answer[len(self._shown) :]
        self._shown = answer
        return fresh


def _answer_so_far(text: str, *, complete: bool) -> str:
    """Return the settled text after a "Final Answer" label that no action precedes."""
    reply, labels = read_reply(text, complete=complete)
    body = unfenced(reply)
    if body.startswith(("{", "[{")) and (not complete or leading_call(body)):
        return ""
    first = next((label for label in labels if label.kind in ("action", "call", "final")), None)
    if not first or first.kind != "final":
        return ""
    return final_answer(reply[first.end :], first.opened, complete=complete)
