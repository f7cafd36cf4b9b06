/** How an answer came about: each decision, what it brought, and how long it took. */

import { el, icon } from "./dom.js";
import { has, number, t } from "./language.js";
import { apart, asSource, place } from "./places.js";
import { phrase } from "./phrases.js";

const LEGS = ["vector", "keyword", "fused", "rerank"];

/** Return decisions with what they brought: an `action` and its `observation` are one step. */
export function stepsOf(events) {
  const steps = [];
  for (const event of events) {
    if (event.event === "observation" && steps.at(-1)?.action && !steps.at(-1).observation) {
      steps.at(-1).observation = event;
    } else if (event.event === "action") steps.push({ action: event });
    else if (event.event === "observation") steps.push({ observation: event });
    else if (event.event === "finish") steps.push({ finish: event });
  }
  return steps;
}

/** Return the passages that were found, each once, in the order in which they were. */
export function passagesOf(events) {
  const found = new Map();
  for (const hit of events.flatMap((event) => event.hits ?? [])) {
    if (!found.has(hit.chunk_id)) found.set(hit.chunk_id, hit);
  }
  return [...found.values()];
}

export function searchesOf(events) {
  return [...new Set(events.flatMap((event) => (event.hits ?? []).map((hit) => hit.query)))];
}

function toolName(tool) {
  return has(`trace.tool.${tool}`) ? t(`trace.tool.${tool}`) : tool;
}

/** Return what is done now, in one line. */
export function now(events) {
  const last = events.at(-1);
  if (!last) return t("turn.waiting");
  if (last.event === "finish") return t("trace.now", { what: t("trace.finish") });
  const what = toolName(last.tool);
  return t("trace.now", { what: last.event === "action" ? `${what} “${last.input}”` : what });
}

export function seconds(value) {
  const rounded = Math.round(value * 100) / 100;
  return t("trace.seconds", { seconds: rounded ? number(rounded) : `< ${number(0.01)}` });
}

export function summary(events) {
  const parts = [t("trace.steps", { n: stepsOf(events).length })];
  const last = events.at(-1);
  if (last) parts.push(seconds(last.at_seconds));
  return parts.join(" · ");
}

/** Return who answered, and what it took. */
export function cost(reply) {
  if (!reply?.usage) return "";
  const { llm_calls: calls, prompt_tokens: read, completion_tokens: written } = reply.usage;
  const model = reply.provider === "offline" ? t("chat.offline") : t("chat.model", { model: reply.provider });
  return el("p", { class: "quiet" }, `${model} · ${t("trace.usage", { calls, tokens: number(read + written) })}`);
}

/** Return the steps as a list; `onPassage` opens a hit. */
export function list(events, onPassage) {
  return el("ol", { class: "steps" }, stepsOf(events).map((step) => item(step, onPassage)));
}

function item({ action, observation, finish }, onPassage) {
  const tool = action?.tool ?? observation?.tool;
  const took = observation?.seconds;
  const thought = (action ?? finish)?.thought;
  const hits = observation?.hits ?? [];
  return el(
    "li",
    { class: finish ? "finish" : "step" },
    el(
      "div",
      { class: "step-head" },
      el("span", { class: "step-name" }, finish ? t("trace.finish") : toolName(tool)),
      tool && el("code", {}, tool),
      el("span", { class: "time" }, took === undefined ? (finish ? seconds(finish.at_seconds) : "") : seconds(took)),
    ),
    thought && el("p", { class: "thought" }, el("span", { class: "what" }, t("trace.thought")), phrase("span", {}, thought)),
    action?.input && el("p", { class: "input" }, el("span", { class: "what" }, t("trace.input")), el("q", {}, action.input)),
    hits.length > 0 && [el("p", { class: "what" }, t("trace.hits", { n: hits.length })), hitList(hits, onPassage)],
    observation?.text &&
      el("details", {}, el("summary", {}, t("trace.text")), el("pre", { tabindex: "0" }, observation.text)),
  );
}

/** Return hits with their scores, best first. */
export function hitList(hits, onPassage) {
  const sources = apart(hits.map(asSource));
  return el(
    "ol",
    { class: "hits" },
    hits.map((hit, index) => {
      const where = place(sources[index]);
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", class: "hit", "aria-label": t("trace.open", { place: where }), onclick: () => onPassage(hit) },
          icon("page"),
          el("span", {}, where),
        ),
        el("span", { class: "score" }, el("span", { class: "what" }, t("trace.score")), rounded(hit.score)),
        el(
          "span",
          { class: "legs" },
          LEGS.filter((leg) => hit.legs[leg]).map((leg) =>
            el("span", {}, `${t(`trace.leg.${leg}`)} #${hit.legs[leg].rank} ${rounded(hit.legs[leg].score)}`),
          ),
        ),
      );
    }),
  );
}

function rounded(score) {
  return number(Number(score.toPrecision(3)));
}
