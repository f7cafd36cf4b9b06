"""How a question ends: an answer whose citations were checked, or a refusal. There is no third way."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from langchain_core.agents import AgentFinish
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel

import prompts
from agent.answer import Citation, check_answer, cite
from agent.checks.citations import without_foreign_links
from agent.checks.claims import FAILED, Check
from agent.evidence import EvidenceLedger, best_passages, fenced, format_place, plain
from agent.models.errors import ContextOverflow, ModelError
from agent.models.offline import as_answer
from agent.quoting.confidence import SURE, Passage
from agent.quoting.quote import Quote
from agent.react.parser import DirectAnswer, ReActParser
from prompts import ContextWindow, approximate_tokens
from retrieval.hit import Hit
from retrieval.search import SearchError
from retrieval.text.writing import language_of

logger = logging.getLogger(__name__)

NOT_FOUND = "NOT_FOUND"
NEAREST = 2
"""Places that a refusal names."""
MAX_SHRINKS = 4
"""Times that a prompt is shortened for a model that does not read it."""
_LAST_REPLY = ReActParser(tool_names=("query_rewrite", "knowledge_search"))
_REFUSAL_ZH = ("知识库的文档里没有找到这个问题的答案。", "缺少：", "搜索过：", "最接近的内容：", "；")
_REFUSAL_EN = (
    "The documents do not hold the answer to this question.",
    *("Missing: ", "Searched for: ", "Nearest: ", "; "),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a person is told."""

    text: str
    refused: bool
    reason: str | None
    """None for an answer; `not_found` when the documents do not hold it, `unsupported` when no claim passed."""
    citations: tuple[Citation, ...] = ()
    checks: tuple[Check, ...] = ()


class SentBack(OutputParserException):
    """An answer that is not accepted yet; carries the correction for the model."""

    def __init__(self, why: str, correction: str, reply: str) -> None:
        super().__init__(why, observation=correction, llm_output=reply, send_to_llm=True)


@dataclass(slots=True)
class Ending:
    """Ends one question: by a reply that holds, each fault of which is sent back once, else from the evidence."""

    question: str
    ledger: EvidenceLedger
    model: BaseChatModel
    choose: Callable[[str, Sequence[Passage]], list[Quote]]
    """Chooses what passages say to a question, as `Quoter.choose` does."""
    search: Callable[[], list[Hit]]
    """Searches for the question itself, for a model that never searched."""
    callbacks: list[BaseCallbackHandler] = field(default_factory=list)
    window: ContextWindow = field(default_factory=lambda: ContextWindow.of(16_000))
    _sent_back: set[str] = field(default_factory=set)
    _failed: tuple[Check, ...] = ()
    """What was wrong with the reply that was sent back."""

    def accept(self, reply: str) -> Outcome:
        """Check a final answer; what fails is sent back once, then removed or marked.

        Raises SentBack for the first answer that fails, for the first refusal without a search, and for the first
        although a passage seems to hold the answer.
        """
        outcome, problems = self._checked(reply)
        if is_not_found(plain(reply)):
            self._doubt(reply)
        elif problems and self._is_first("unsupported answer"):
            self._failed = tuple(check for check in outcome.checks if check.status in FAILED)
            raise SentBack("unsupported answer", _correction(problems, has_evidence=len(self.ledger) > 0), reply)
        if outcome.refused and not self.ledger.searches:
            # It never looked, so nobody knows yet what the documents hold.
            return self.from_evidence()
        return outcome

    def from_evidence(self, said: str = "") -> Outcome:
        """End without another step: by what the model said plainly, by asking it once more, by quoting, by refusing.

        Raises SearchError when there is no evidence because the search does not work.
        """
        if not self.ledger.searches:
            try:
                self.ledger.record(self.question, self.search())
            except (TimeoutError, ConnectionError) as error:
                raise SearchError(f"the search failed ({error}); try again later") from error
        attempts = (partial(self._as_said, said), self._asked_once_more, self._quoted)
        outcomes = (attempt() for attempt in attempts)
        return next((outcome for outcome in outcomes if outcome), None) or self._refusal("not_found")

    # The attempts, in their order; one that comes to nothing returns None.

    def _as_said(self, said: str) -> Outcome | None:
        """Take a plain reply that fails in nothing."""
        if not said:
            return None
        outcome, problems = self._checked(said)
        return None if outcome.refused or problems else outcome

    def _asked_once_more(self) -> Outcome | None:
        """Ask for the final answer from the passages alone."""
        reply = self._last_reply() if len(self.ledger) else ""
        if not reply:
            return None
        outcome, _ = self._checked(reply)
        if outcome.reason == "not_found":
            # Its last word came in haste: where the passages surely hold the answer, they are quoted.
            return self._quoted(least=SURE) or outcome
        return None if outcome.refused else outcome

    def _quoted(self, least: float = 0.0) -> Outcome | None:
        """Quote the words of the documents that seem to answer the question, if any is as sure as that."""
        quotes = self._quotes()
        if not any(quote.confidence >= least for quote in quotes):
            return None
        outcome, _ = self._checked(as_answer(self.question, [(quote.label, quote.text) for quote in quotes]))
        return outcome

    # What they are made of

    def _checked(self, reply: str) -> tuple[Outcome, tuple[str, ...]]:
        """Return what a reply comes to, and what is wrong with it."""
        reply = without_foreign_links(plain(reply), self.ledger.passages().values())
        if is_not_found(reply):
            return self._refusal("not_found", missing_part(reply)), ()
        checked = check_answer(reply, self.ledger, self._failed)
        if not checked.labels:
            refusal = self._refusal("unsupported" if len(self.ledger) else "not_found")
            return replace(refusal, checks=checked.checks), checked.problems
        citations = tuple(cite(label, checked.text, self.ledger) for label in checked.labels)
        return Outcome(checked.text, False, None, citations, checked.checks), checked.problems

    def _refusal(self, reason: str, missing: str = "") -> Outcome:
        return Outcome(refusal_text(self.question, self.ledger, missing), refused=True, reason=reason)

    def _doubt(self, reply: str) -> None:
        """Send a refusal back once that no search came before, and once although a passage seems to hold the answer."""
        if not self.ledger.searches:
            if self._is_first("a refusal without a search"):
                raise SentBack("a refusal without a search", _correction((), has_evidence=False), reply)
            return
        quotes = self._quotes() if len(self.ledger) and self._is_first("a refusal to be sure of") else []
        if labels := list(dict.fromkeys(quote.label for quote in quotes)):
            correction = (
                f"{', '.join(labels)} may hold the answer. Read it again; if it answers the question, write the "
                f"Final Answer with its label. Otherwise repeat {NOT_FOUND} and what is missing."
            )
            raise SentBack("a refusal to be sure of", correction, reply)

    def _is_first(self, why: str) -> bool:
        """Say whether nothing was sent back for this reason yet."""
        known = why in self._sent_back
        self._sent_back.add(why)
        return not known

    def _quotes(self) -> list[Quote]:
        passages = [Passage.of(evidence.label, evidence.hit.chunk) for evidence in self.ledger.all()]
        return self.choose(self.question, passages)

    def _last_reply(self) -> str:
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


def refusal_text(question: str, ledger: EvidenceLedger, missing: str = "") -> str:
    """Return the refusal in the language of the question, with what was searched and what came nearest.

    `missing` is what the model says is not there; empty when it did not say.
    """
    chinese = language_of(question) == "zh"
    head, *labels, separator = _REFUSAL_ZH if chinese else _REFUSAL_EN
    chunks = [evidence.hit.chunk for evidence in ledger.all()[:NEAREST]]
    places = [format_place(chunk.source, " › ".join(chunk.section), chunk.page, chinese=chinese) for chunk in chunks]
    searched = [f"“{search.query}”" for search in ledger.searches]
    told = (missing, separator.join(dict.fromkeys(searched)), separator.join(dict.fromkeys(places)))
    return "\n".join([head, *(f"{label}{text}" for label, text in zip(labels, told, strict=True) if text)])


def no_documents_text(question: str) -> str:
    """Return what to say before anything was ingested."""
    if language_of(question) == "zh":
        return "知识库里还没有文档。先运行：folio ingest 路径"
    return "There are no documents yet. First run: folio ingest PATH"


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
