"""How a question ends: an answer whose citations were checked, or a refusal. There is no third way."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langchain_core.agents import AgentFinish
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel

import prompts
from agent.answer import Citation, check_answer, cite
from agent.answer_links import without_foreign_links
from agent.chat_model import ContextOverflow, ModelError
from agent.check import FAILED, Check
from agent.context import MAX_SHRINKS, ContextWindow, best_passages
from agent.evidence import EvidenceLedger
from agent.memory import approximate_tokens
from agent.offline import as_answer
from agent.parser import ReActParser
from agent.quoting.candidate import Passage
from agent.quoting.confidence import SURE
from agent.quoting.quote import ChoosesQuotes, Quote
from agent.react.correction import DirectAnswer
from agent.refusal import NOT_FOUND, refusal_text
from agent.untrusted import fenced, plain
from retrieval.hit import Hit
from retrieval.search import SearchError

logger = logging.getLogger(__name__)

_LAST_REPLY = ReActParser(tool_names=("query_rewrite", "knowledge_search"))


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
    quoter: ChoosesQuotes
    search: Callable[[], list[Hit]]
    """Searches for the question itself, for a model that never searched."""
    callbacks: list[BaseCallbackHandler] = field(default_factory=list)
    window: ContextWindow = field(default_factory=lambda: ContextWindow.of(16_000))
    _corrected: bool = False
    _doubted: bool = False
    _sent_to_search: bool = False
    _failed: tuple[Check, ...] = ()
    """What was wrong with the reply that was sent back."""

    def accept(self, reply: str) -> Outcome:
        """Check a final answer; what fails is sent back once, then removed or marked.

        Raises NotSupported for the first answer that fails, for the first refusal without a search, and for the first
        although a passage seems to hold the answer.
        """
        reply = without_foreign_links(plain(reply), self.ledger.passages().values())
        if is_not_found(reply):
            if not self.ledger.searches:
                self._send_to_search(reply)
                return self.from_evidence()
            self._doubt(reply)
            return self._refuse("not_found", missing_part(reply))
        checked = check_answer(reply, self.ledger, self._failed)
        if checked.problems and not self._corrected:
            self._corrected = True
            self._failed = tuple(check for check in checked.checks if check.status in FAILED)
            correction = _correction(checked.problems, has_evidence=len(self.ledger) > 0)
            raise NotSupported("unsupported answer", observation=correction, llm_output=reply, send_to_llm=True)
        if not checked.labels and not self.ledger.searches:
            # It never looked, so nobody knows yet what the documents hold.
            return self.from_evidence()
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
        """End without another step: from what the model said plainly, else by asking it once, else by quoting.

        Raises SearchError when there is no evidence because the search does not work.
        """
        self._corrected = self._doubted = self._sent_to_search = True
        if not self.ledger.searches:
            try:
                self.ledger.record(self.question, self.search())
            except (TimeoutError, ConnectionError) as error:
                raise SearchError(f"the search failed ({error}); try again later") from error
        for reply in self._replies(direct_answer):
            outcome = self.accept(reply) if reply else None
            if outcome and not outcome.refused:
                return outcome
            if outcome and outcome.reason == "not_found":
                # Its last word came in haste: where the passages surely hold the answer, they are quoted.
                quotes = self._quotes()
                return self._quote(quotes) if any(quote.confidence >= SURE for quote in quotes) else outcome
        return self._quote(self._quotes())

    def _replies(self, direct_answer: str) -> list[str]:
        if direct_answer:
            checked = check_answer(direct_answer, self.ledger)
            if checked.labels and not checked.problems:
                return [direct_answer]
        return [self._ask_once()] if len(self.ledger) else []

    def _ask_once(self) -> str:
        """Ask for the final answer from the evidence; return nothing when none comes."""
        for _ in range(MAX_SHRINKS):
            prompt = self._last_prompt()
            try:
                return final_reply(str(self.model.invoke(prompt, config={"callbacks": self.callbacks}).text))
            except ContextOverflow as error:
                self.window.shrink(approximate_tokens(prompt), error.limit)
            except ModelError as error:
                logger.warning("no final answer (%s); the documents are quoted instead", error)
                break
        return ""

    def _last_prompt(self) -> str:
        room = self.window.prompt_tokens - approximate_tokens(prompts.render("finish", evidence="", question=""))
        passages = best_passages(self.ledger, room - approximate_tokens(self.question))
        return prompts.render("finish", evidence=fenced(passages, self.ledger.mark), question=self.question)

    def _quote(self, quotes: Sequence[Quote]) -> Outcome:
        if not quotes:
            return self._refuse("not_found")
        return self.accept(as_answer(self.question, [(quote.label, quote.text) for quote in quotes]))

    def _quotes(self) -> list[Quote]:
        """Return the words of the documents that seem to answer the question."""
        passages = [Passage.of(evidence.label, evidence.hit.chunk) for evidence in self.ledger.all()]
        return self.quoter.choose(self.question, passages)

    def _send_to_search(self, reply: str) -> None:
        """Send a refusal back once that nothing was searched for: only the documents can say that it is not there."""
        if self._sent_to_search:
            return
        self._sent_to_search = True
        correction = _correction((), has_evidence=False)
        raise NotSupported("a refusal without a search", observation=correction, llm_output=reply, send_to_llm=True)

    def _doubt(self, reply: str) -> None:
        """Ask once more where a model refuses although a passage seems to hold the answer."""
        if self._doubted or not len(self.ledger):
            return
        self._doubted = True
        labels = list(dict.fromkeys(quote.label for quote in self._quotes()))
        if labels:
            correction = (
                f"{', '.join(labels)} may hold the answer. Read it again; if it answers the question, write the "
                f"Final Answer with its label. Otherwise repeat {NOT_FOUND} and what is missing."
            )
            raise NotSupported("a refusal to be sure of", observation=correction, llm_output=reply, send_to_llm=True)

    def _refuse(self, reason: str, missing: str = "", checks: tuple[Check, ...] = ()) -> Outcome:
        return Outcome(refusal_text(self.question, self.ledger, missing), refused=True, reason=reason, checks=checks)


def final_reply(text: str) -> str:
    """Return the answer in a reply that had nothing left to do but answer; nothing when it is something else."""
    try:
        step = _LAST_REPLY.parse(text)
    except DirectAnswer as direct:
        return direct.answer
    except OutputParserException:
        return ""
    return str(step.return_values["output"]) if isinstance(step, AgentFinish) else ""


def is_not_found(reply: str) -> bool:
    """Say whether the reply is the agreed word for a refusal."""
    return reply.strip().strip("*`\"'“”[(【（").upper().replace(" ", "_").startswith(NOT_FOUND)


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
