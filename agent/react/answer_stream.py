"""Show the final answer while a reply arrives, and nothing else of the reply."""

from agent.react.clean import unfenced
from agent.react.final_answer import final_answer
from agent.react.reply import read_reply
from agent.react.tool_call import leading_call


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
