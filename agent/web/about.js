/** What is said of the files that are added next: a folder for their names, and metadata. */

import { byId } from "./dom.js";
import { onLanguage, t } from "./language.js";
import * as pairs from "./pairs.js";

/** Field of the page → metadata key. */
const KEYS = { version: "version", "updated-at": "updated_at", department: "department", "visible-to": "visible_to" };
const FIELDS = [...Object.keys(KEYS), "folder", "more"];

function field(name) {
  return byId(`about-${name}`);
}

function written(name) {
  return field(name).value.trim();
}

/** Return `{folder, metadata}`, or null after showing what cannot be meant. */
export function stated() {
  const { found: metadata, unclear } = pairs.read(written("more"), pairs.STATEMENT);
  byId("about-problem").textContent = unclear ? t("pairs.unclear", { pair: unclear }) : "";
  field("more").removeAttribute("aria-invalid");
  if (unclear) {
    byId("about").open = true;
    field("more").setAttribute("aria-invalid", "true");
    field("more").after(byId("about-problem"));
    field("more").focus();
    return null;
  }
  for (const [name, key] of Object.entries(KEYS)) if (written(name)) metadata[key] = [written(name)];
  return { folder: written("folder").replace(/\/+$/, ""), metadata: single(metadata) };
}

/** A value that stands alone is no list. */
function single(metadata) {
  return Object.fromEntries(Object.entries(metadata).map(([key, values]) => [key, values.length > 1 ? values : values[0]]));
}

function draw() {
  const n = FIELDS.filter((name) => written(name)).length;
  byId("about-count").textContent = n ? t("options.count", { n }) : "";
}

export function install() {
  for (const name of FIELDS) field(name).addEventListener("input", draw);
  onLanguage(draw);
  draw();
}
