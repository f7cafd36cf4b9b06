/** The conversation: its turns, and the question that is being asked. */

import { ask, get, Problem } from "./api.js";
import { byId, el } from "./dom.js";
import { number, onLanguage, t } from "./language.js";
import * as narrowing from "./narrowing.js";
import * as reader from "./reader.js";
import { Turn } from "./turn.js";

let session = null;
let turns = [];
let asking = null;
let onAnswered = () => {};
let health = null;

/** Show an empty conversation. */
export function begin() {
  asking?.abort();
  session = null;
  turns = [];
  reader.close();
  draw();
}

/** Show a conversation; null is one that has no name yet, and goes on if it was begun. */
export async function open(name) {
  if (name === session) return;
  begin();
  if (name === null) return;
  session = name;
  try {
    const shown = await get(`/api/sessions/${name}`);
    if (session !== name) return;
    turns = shown.turns.map((turn) => Turn.remembered(turn, again));
  } catch (problem) {
    if (session !== name) return;
    session = null;
    byId("welcome-facts").replaceChildren(problem.status === 404 ? t("chat.gone") : problem.message);
  }
  draw();
  toEnd();
}

export function current() {
  return session;
}

export function focus() {
  byId("question").focus();
}

export function setHealth(found) {
  health = found;
  drawFacts();
}

export function isAsking() {
  return asking !== null;
}

export function stop() {
  asking?.abort();
}

function draw() {
  byId("turns").replaceChildren(...turns.map((turn) => turn.root));
  byId("welcome").hidden = turns.length > 0;
  const title = turns[0]?.question ?? t("chat.title");
  byId("chat-title").textContent = title;
  document.title = turns.length ? `${title} – Folio` : "Folio";
  if (!turns.length) drawFacts();
  drawComposer();
}

function drawFacts() {
  if (!health?.counts) return;
  const { documents, chunks } = health.counts;
  const isOffline = health.model === "offline";
  const facts = documents
    ? t("chat.counts", { documents: number(documents), chunks: number(chunks) })
    : t("chat.no_documents");
  const model = isOffline ? t("chat.offline") : t("chat.model", { model: health.model });
  byId("welcome-facts").replaceChildren(facts, el("br"), model);
  byId("welcome-add").hidden = documents > 0;
}

function drawComposer() {
  const box = byId("question");
  byId("send").hidden = asking !== null;
  byId("send").disabled = !box.value.trim();
  byId("stop").hidden = asking === null;
  // It grows with what is written, as far as its style lets it.
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

async function submit(question, narrowed) {
  const turn = new Turn(question, again, narrowed);
  const mine = new AbortController();
  asking = mine;
  turns.push(turn);
  draw();
  toEnd();
  turn.onDrawn = () => isAtEnd && toEnd();
  try {
    for await (const { name, data } of ask({ question, ...narrowed, ...(session ? { session } : {}) }, mine.signal)) {
      turn.take(name, data);
      if (name === "done") answered(data);
    }
    if (turn.state === "asking") turn.fail(new Problem(0, t("turn.cut")));
  } catch (problem) {
    if (problem.name === "AbortError") turn.stop();
    else turn.fail(problem instanceof Problem ? problem : new Problem(0, t("turn.cut")));
  }
  if (asking === mine) asking = null;
  drawComposer();
}

function answered(reply) {
  if (session !== reply.session) {
    session = reply.session;
    history.replaceState(null, "", `#/chat/${session}`);
  }
  onAnswered();
}

function again(turn) {
  if (asking) return;
  turns = turns.filter((one) => one !== turn);
  submit(turn.question, turn.narrowed);
}

let isAtEnd = true;

/** Go to the end, but not so far that the last question is out of sight. */
function toEnd() {
  const thread = byId("thread");
  const last = turns.at(-1)?.root;
  const beginning = last ? last.getBoundingClientRect().top - thread.getBoundingClientRect().top + thread.scrollTop : 0;
  thread.scrollTop = Math.min(thread.scrollHeight - thread.clientHeight, beginning - 24);
}

/** Set up the composer; `whenAnswered` is called after each answer. */
export function install(whenAnswered) {
  onAnswered = whenAnswered;
  const box = byId("question");
  const send = (event) => {
    event.preventDefault();
    const question = box.value.trim();
    if (!question || asking) return;
    const narrowed = narrowing.chosen();
    if (!narrowed) return;
    box.value = "";
    submit(question, narrowed);
  };
  byId("composer").addEventListener("submit", send);
  byId("stop").addEventListener("click", () => {
    stop();
    focus();
  });
  box.addEventListener("input", drawComposer);
  box.addEventListener("keydown", (event) => {
    // While a word is being composed, as in Chinese, Enter takes it over.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) send(event);
  });
  const thread = byId("thread");
  thread.addEventListener("scroll", () => {
    isAtEnd = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 80;
  });
  onLanguage(() => {
    for (const turn of turns) turn.draw();
    draw();
  });
  draw();
}
