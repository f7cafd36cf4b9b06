/** One question and its answer: while it comes, and when it is there. */

import { get } from "./api.js";
import * as checks from "./checks.js";
import { announce, el, icon, iconButton, notify, spoken } from "./dom.js";
import { has, t } from "./language.js";
import { render } from "./markup.js";
import * as narrowing from "./narrowing.js";
import { apart, asSource, place } from "./places.js";
import { phrase } from "./phrases.js";
import { saidOf, titleOf } from "./problems.js";
import { claimsIn } from "./ranges.js";
import { openPassage, openSources } from "./reader.js";
import * as trace from "./trace.js";

/** The reason of what was no question: nothing is missing in the documents then. */
const NO_QUESTION = "no_question";

/** Return the sources of an answer; sentences that stand on one are looked for in it, beside its quotation. */
function sourcesOf(cited, checked) {
  return apart(cited.map(asSource)).map((source) => {
    const claims = checked.filter((check) => check.labels.includes(source.label)).map((check) => check.claim);
    return { ...source, quotes: [source.quote, ...claims] };
  });
}

export class Turn {
  constructor(question, onAgain, narrowed = {}) {
    this.question = question;
    this.onAgain = onAgain;
    /** What the question was narrowed to, as the server takes it. */
    this.narrowed = narrowed;
    /** `asking`, `done`, `stopped` or `failed`. */
    this.state = "asking";
    this.events = [];
    this.draft = { number: 0, text: "" };
    this.reply = null;
    this.sources = [];
    this.problem = null;
    this.isDrawing = false;

    this.title = el("h2", { class: "question" });
    this.traceSummary = el("summary");
    this.traceBody = el("div", { class: "trace-body" });
    this.trace = el("details", { class: "trace", ontoggle: () => this.drawTrace() }, this.traceSummary, this.traceBody);
    this.body = el("div", { class: "body" });
    this.root = el("article", { class: "turn" }, this.title, this.trace, this.body);
    this.draw();
  }

  /** Return a turn that is remembered; how it came about is read when it is first seen. */
  static remembered(turn, onAgain) {
    const made = new Turn(turn.question, onAgain);
    made.state = "done";
    made.remembered = turn.citations;
    made.sources = sourcesOf(turn.citations, []);
    made.reply = { answer: turn.answer, refused: turn.refused, reason: null, checks: [], notices: [], trace_id: turn.trace_id };
    made.events = null;
    made.draw();
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      made.readTrace();
    });
    seen.observe(made.root);
    return made;
  }

  async readTrace() {
    try {
      const record = await get(`/api/traces/${this.reply.trace_id}`);
      this.events = record.events;
      const { checks: checked = [], reason = null, notices = [] } = record.answer ?? {};
      Object.assign(this.reply, { checks: checked, reason, notices, provider: record.model, usage: record.usage });
      this.sources = sourcesOf(this.remembered, checked);
    } catch {
      // The answer stands without it.
      this.events = [];
    }
    this.draw();
  }

  /** Take what the server tells. */
  take(name, data) {
    if (name === "step") this.events.push(data);
    else if (name === "token") {
      if (data.draft > this.draft.number) this.draft = { number: data.draft, text: "" };
      this.draft.text += data.text;
    } else if (name === "done") {
      this.reply = data;
      this.sources = sourcesOf(data.sources, data.checks);
      this.state = "done";
      const said = data.refused && data.reason !== NO_QUESTION ? `${t("turn.refused")}. ${data.answer}` : t("turn.ready", { text: data.answer });
      announce([...data.notices, said].join(" "));
    } else if (name === "error") {
      this.fail({ status: data.status, message: data.detail });
      return;
    }
    if (name === "step" && data.event === "action") announce(trace.now(this.events));
    this.drawSoon();
  }

  fail(problem) {
    this.state = "failed";
    this.problem = problem;
    announce(saidOf(problem));
    this.draw();
  }

  stop() {
    this.state = "stopped";
    announce(t("turn.stopped"));
    this.draw();
  }

  drawSoon() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.draw();
      this.onDrawn?.();
    });
  }

  draw() {
    this.root.setAttribute("aria-label", t("turn.label", { question: this.question }));
    this.root.setAttribute("aria-busy", this.state === "asking");
    this.title.replaceChildren(spoken(t("turn.you")), el("span", { class: "bubble" }, this.question), this.narrowedTo());
    this.drawTrace();
    const parts = {
      asking: () => this.drafted(),
      done: () => [...this.notices(), ...(this.reply.refused ? this.refused() : this.answered())],
      stopped: () => [el("p", { class: "quiet" }, t("turn.stopped")), this.again()],
      failed: () => this.failed(),
    };
    this.body.replaceChildren(...parts[this.state]().filter(Boolean));
  }

  narrowedTo() {
    const said = narrowing.said(this.narrowed);
    return said ? el("span", { class: "narrowed" }, spoken(t("options.said")), said) : "";
  }

  drawTrace() {
    const isAsking = this.state === "asking";
    this.trace.hidden = !isAsking && this.events?.length === 0;
    this.traceSummary.replaceChildren(
      isAsking ? el("span", { class: "pulse" }) : icon("stack"),
      el("span", {}, isAsking ? trace.now(this.events) : t("trace.title")),
      this.events?.length ? el("span", { class: "time" }, trace.summary(this.events)) : "",
    );
    // A list of passages of every step of every answer would be a lot for a page that nobody looks at.
    if (!this.trace.open || !this.events) return;
    this.traceBody.replaceChildren(trace.list(this.events, openPassage), trace.cost(this.reply));
  }

  drafted() {
    if (!this.draft.text) return [];
    return [
      el("div", { class: "prose draft", "aria-hidden": "true" }, render(this.draft.text)),
      el("p", { class: "quiet" }, t("turn.draft")),
    ];
  }

  /** Which earlier answers no longer hold. */
  notices() {
    return this.reply.notices.map((notice) => el("p", { class: "notice" }, icon("alert"), el("span", {}, notice)));
  }

  answered() {
    const { answer, checks: checked } = this.reply;
    const text = render(answer, {
      ranges: claimsIn(answer, checked),
      wrap: ({ check }) => checks.claim(check),
      after: ({ check }) => checks.mark(check, (one) => this.showCheck(one)),
      cite: (label) => this.citation(label),
    });
    return [el("div", { class: "prose answer" }, spoken(t("turn.answer")), text), this.sourceList(), this.foot()];
  }

  citation(label) {
    const source = this.sources.find((one) => one.label === label);
    if (!source) return document.createTextNode(`[${label}]`);
    const said = t("sources.open", { label: label.slice(1), place: place(source) });
    return el(
      "button",
      { type: "button", class: "cite", "aria-label": said, title: said, onclick: () => openSources(this.sources, label) },
      label.slice(1),
    );
  }

  sourceList() {
    if (!this.sources.length) return null;
    return el(
      "ul",
      { class: "sources", "aria-label": t("sources.of") },
      this.sources.map((source) =>
        el(
          "li",
          {},
          el(
            "button",
            { type: "button", onclick: () => openSources(this.sources, source.label) },
            el("span", { class: "number" }, source.label.slice(1)),
            el("span", { class: "where" }, place(source)),
          ),
        ),
      ),
    );
  }

  checkList() {
    const checked = this.reply.checks;
    if (!checked.length) return null;
    const isBad = checked.some((check) => check.status !== "supported");
    return el(
      "details",
      { class: `check-list${isBad ? " bad" : ""}` },
      el("summary", {}, icon(isBad ? "alert" : "check"), checks.summary(checked)),
      checks.list(checked),
    );
  }

  showCheck(check) {
    const details = this.body.querySelector(".check-list");
    details.open = true;
    const item = details.querySelectorAll(".checks > li")[this.reply.checks.indexOf(check)];
    item.focus();
    item.scrollIntoView({ block: "nearest" });
  }

  refused() {
    const { answer, reason } = this.reply;
    // Of a turn that is remembered, why it was refused is not known before its trace is read.
    if (reason === NO_QUESTION || !this.events) return [el("div", { class: "prose unsearched" }, render(answer))];
    const hits = trace.passagesOf(this.events ?? []);
    const searches = trace.searchesOf(this.events ?? []);
    const named = has(`turn.refused.${reason}`) ? t(`turn.refused.${reason}`) : "";
    return [
      el(
        "div",
        { class: "refusal" },
        el("p", { class: "refusal-title" }, icon("none"), t("turn.refused")),
        // With the steps at hand, they say better than a text what was searched and what was nearest.
        hits.length || reason === "no_documents" ? el("p", {}, named) : el("div", { class: "prose" }, render(answer)),
        this.missing(),
        hits.length > 0 && [
          el("h3", {}, t("turn.looked")),
          el("p", { class: "searches" }, searches.map((query) => el("q", {}, query))),
          trace.hitList(hits, openPassage),
        ],
        reason === "no_documents" &&
          el("a", { class: "button", href: "#/documents" }, icon("upload"), t("chat.add_documents")),
      ),
      this.checkList(),
    ];
  }

  /** What the model says is not there, which only the text of a refusal has. */
  missing() {
    const line = /^(?:缺少：|Missing: ).+$/m.exec(this.reply.answer);
    return line && trace.passagesOf(this.events ?? []).length ? el("p", {}, line[0]) : null;
  }

  failed() {
    return [
      el(
        "div",
        { class: "problem", role: "group" },
        el("p", { class: "refusal-title" }, icon("alert"), titleOf(this.problem)),
        this.problem.message && phrase("p", {}, this.problem.message),
      ),
      this.again(),
    ];
  }

  again() {
    return el("button", { type: "button", class: "plain", onclick: () => this.onAgain(this) }, icon("repair"), t("turn.again"));
  }

  foot() {
    const copy = async () => {
      await navigator.clipboard.writeText(this.reply.answer);
      notify(t("turn.copied"));
    };
    return el(
      "div",
      { class: "foot" },
      this.checkList(),
      navigator.clipboard && iconButton("copy", t("turn.copy"), copy),
    );
  }
}
