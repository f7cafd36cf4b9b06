"""Read a reply into its text and labels, without what the model thought or invented."""

from agent.react.clean import spoken
from agent.react.labels import Label, find_labels


def read_reply(text: str, *, complete: bool = True) -> tuple[str, list[Label]]:
    """Return the reply and its labels without thinking and without anything from an invented observation on."""
    reply = spoken(text)
    labels = find_labels(reply, complete=complete)
    answered = False
    for index, label in enumerate(labels):
        answered = answered or label.kind == "final"
        if label.kind == "observation" and (label.new_turn or not answered):
            return reply[: label.start].rstrip(), labels[:index]
    return reply, labels


def next_start(labels: list[Label], reply: str) -> int:
    """Return where the first of the labels starts, or the end of the reply."""
    return labels[0].start if labels else len(reply)
