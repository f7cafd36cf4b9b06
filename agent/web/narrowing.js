/** Where the next questions look: the options under the question, which hold until they are taken back. */

import { byId } from "./dom.js";
import { day, onLanguage, t } from "./language.js";
import * as pairs from "./pairs.js";

const MOST_PASSAGES = 50;
const FIELDS = ["source", "type", "metadata", "as-of", "top-k"];

/** An option cannot be meant; `field` is where it stands. */
class Unclear extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

function field(name) {
  return byId(`option-${name}`);
}

function written(name) {
  return field(name).value.trim();
}

/** Return `filters`, `as_of` and `top_k` as the server takes them, each only where it was chosen. */
function read() {
  const filters = readFilters();
  const asOf = written("as-of");
  const most = written("top-k");
  if (field("as-of").validity.badInput) throw new Unclear("as-of", t("options.as_of.unclear"));
  const count = Number(most);
  if (field("top-k").validity.badInput || (most && !(Number.isInteger(count) && count >= 1 && count <= MOST_PASSAGES))) {
    throw new Unclear("top-k", t("options.top_k.unclear", { most: MOST_PASSAGES }));
  }
  return {
    ...(Object.keys(filters).length ? { filters } : {}),
    ...(asOf ? { as_of: asOf } : {}),
    ...(most ? { top_k: count } : {}),
  };
}

function readFilters() {
  const { found, unclear } = pairs.read(written("metadata"), pairs.CONDITION);
  if (unclear) throw new Unclear("metadata", t("pairs.unclear", { pair: unclear }));
  const own = { source: written("source"), doc_type: written("type") };
  for (const [key, value] of Object.entries(own)) if (value) (found[key] ??= []).push(value);
  return found;
}

/** Return what is chosen, or null after showing what cannot be meant. */
export function chosen() {
  const problem = byId("options-problem");
  for (const name of FIELDS) field(name).removeAttribute("aria-invalid");
  problem.textContent = "";
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    const wrong = field(error.field);
    byId("options").open = true;
    // Beside its field, so that it is in sight where the others are not.
    wrong.after(problem);
    problem.textContent = error.message;
    wrong.setAttribute("aria-invalid", "true");
    wrong.focus();
    problem.scrollIntoView({ block: "nearest" });
    return null;
  }
}

/** Return in words what a question was narrowed to; empty when it was not. */
export function said({ filters = {}, as_of: asOf, top_k: most }) {
  const parts = Object.entries(filters).map(([key, values]) => `${key}${/[<>=]$/.test(key) ? "" : "="}${values.join("|")}`);
  if (asOf) parts.push(t("options.as_of.said", { day: day(asOf) }));
  if (most) parts.push(t("options.top_k.said", { most }));
  return parts.join(" · ");
}

function draw() {
  const n = FIELDS.filter((name) => written(name)).length;
  byId("options-count").textContent = n ? t("options.count", { n }) : "";
  byId("options-clear").disabled = !n;
}

function clear() {
  for (const name of FIELDS) field(name).value = "";
  chosen();
  draw();
  field("source").focus();
}

export function install() {
  for (const name of FIELDS) field(name).addEventListener("input", draw);
  byId("options-clear").addEventListener("click", clear);
  onLanguage(draw);
  draw();
}
