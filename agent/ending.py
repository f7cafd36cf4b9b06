"""How a question ends: an answer whose citations were checked, or a refusal. There is no third way."""

from collections.abc import Callable
from dataclasses import dataclass, field

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel

import prompts
from agent.answer import Check, Citation, check_answer, cite
from agent.evidence import EvidenceLedger, format_passage
from agent.offline import as_answer
from agent.quote import Passage, Quoter
from agent.react.clean import strip_thinking
from agent.refusal import NOT_FOUND, refusal_text
from retrieval.hit import Hit


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a person is told."""

    text: str
    refused: bool
    reason: str | None
    """None for an answer; `not_found` when the documents do not hold it, `unsupported` when no claim passed."""
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()


class NotSupported(OutputParserException):
    """The answer claims what its passages do not say; carries the correction for the model."""


@dataclass(slots=True)
class Ending:
    """Ends one question."""

    question: str
    ledger: EvidenceLedger
    model: BaseChatModel
    quoter: Quoter
    search: Callable[[], list[Hit]]
    """Searches for the question itself, for a model that never searched."""
    callbacks: list[BaseCallbackHandler] = field(default_factory=list)
    _corrected: bool = False

    def accept(self, reply: str) -> Outcome:
        """Check a final answer; what fails is sent back once, then removed.

        Raises NotSupported for the first answer that fails.
        """
        if is_not_found(reply):
            return self._refuse("not_found", missing_part(reply))
        checked = check_answer(reply, self.ledger)
        if checked.problems and not self._corrected:
            self._corrected = True
            correction = _correction(checked.problems, has_evidence=len(self.ledger) > 0)
            raise NotSupported("unsupported answer", observation=correction, llm_output=reply, send_to_llm=True)
        if not checked.labels:
            return self._refuse("unsupported" if len(self.ledger) else "not_found", checks=checked.checks)
        return Outcome(
            text=checked.text,
            refused=False,
            reason=None,
            citations=tuple(cite(label, checked.text, self.ledger) for label in checked.labels),
            checks=checked.checks,
        )

    def from_evidence(self, direct_answer: str = "") -> Outcome:
        """End without another step: from what the model said plainly, else by asking it once, else by quoting."""
        self._corrected = True
        if not self.ledger.searches:
            self.ledger.record(self.question, self.search())
        for reply in self._replies(direct_answer):
            outcome = self.accept(reply) if reply else None
            if outcome and (not outcome.refused or outcome.reason == "not_found"):
                return outcome
        return self._quote()

    def _replies(self, direct_answer: str) -> list[str]:
        if direct_answer:
            checked = check_answer(direct_answer, self.ledger)
            if checked.labels and not checked.problems:
                return [direct_answer]
        return [self._ask_once()] if len(self.ledger) else []

    def _ask_once(self) -> str:
        passages = "\n\n".join(format_passage(evidence) for evidence in self.ledger.all())
        prompt = prompts.render("finish", evidence=passages, question=self.question)
        reply = strip_thinking(str(self.model.invoke(prompt, config={"callbacks": self.callbacks}).text))
        return reply.rpartition("Final Answer:")[2].strip()

    def _quote(self) -> Outcome:
        passages = [
            Passage(evidence.label, evidence.hit.chunk.heading, evidence.hit.chunk.text)
            for evidence in self.ledger.all()
        ]
        quotes = self.quoter.choose(self.question, passages)
        if not quotes:
            return self._refuse("not_found")
        return self.accept(as_answer(self.question, [(quote.label, quote.text) for quote in quotes]))

    def _refuse(self, reason: str, missing: str = "", checks: tuple[Check, ...] = ()) -> Outcome:
        return Outcome(refusal_text(self.question, self.ledger, missing), refused=True, reason=reason, checks=checks)


def is_not_found(reply: str) -> bool:
    """Say whether the reply is the agreed word for a refusal."""
    return reply.strip().strip("*`\"'“”").upper().replace(" ", "_").startswith(NOT_FOUND)


def missing_part(reply: str) -> str:
    """Return what the model says is missing, in one line."""
    _, _, rest = reply.replace("：", ":").partition(":")
    return " ".join(rest.split()).strip("*`\"' ")[:200]


def _correction(problems: tuple[str, ...], *, has_evidence: bool) -> str:
    if not has_evidence:
        return "Nothing was searched yet, so nothing can be cited. Use knowledge_search first."
    listed = "\n".join(f"- {problem}" for problem in problems)
    return (
        f"This answer was not accepted:\n{listed}\n"
        f"Write the Final Answer again with only what the passages say, each sentence with its label, "
        f"or {NOT_FOUND} if they do not hold the answer."
    )
