/** The list of documents. */

import { get, remove } from "./api.js";
import { confirmed } from "./confirm.js";
import { byId, el, iconButton, notify } from "./dom.js";
import { day, number, onLanguage, t } from "./language.js";
import { saidOf } from "./problems.js";
import { openDocument } from "./reader.js";

const PART = 1000;
const ROWS = 100;
let documents = [];
let rows = ROWS;
let onChanged = () => {};

export async function load() {
  try {
    const found = [];
    for (let total = 1; found.length < total; ) {
      const part = await get(`/api/documents?limit=${PART}&offset=${found.length}`);
      total = part.documents.length ? part.total : 0;
      found.push(...part.documents);
    }
    documents = found;
  } catch (problem) {
    notify(saidOf(problem));
  }
  draw();
}

function matching() {
  const wanted = byId("filter").value.trim().toLowerCase();
  return documents.filter((one) => `${one.source} ${one.title}`.toLowerCase().includes(wanted));
}

function draw() {
  const found = matching();
  const chunks = documents.reduce((sum, one) => sum + one.chunk_count, 0);
  byId("documents-facts").textContent = t("chat.counts", { documents: number(documents.length), chunks: number(chunks) });
  byId("filter").hidden = documents.length < 2;
  byId("document-rows").replaceChildren(...found.slice(0, rows).map(row));
  byId("document-list").hidden = !found.length;
  byId("documents-none").hidden = found.length > 0;
  byId("documents-none").textContent = t(documents.length ? "documents.none_match" : "documents.none");
  byId("documents-more").hidden = found.length <= rows;
  byId("documents-more").textContent = t("documents.more", { n: found.length - rows });
}

/** Return the name of a document; the whole of it where another has the same file name. */
function nameOf(one) {
  return documents.some((other) => other.filename === one.filename && other !== one) ? one.source : one.filename;
}

function row(one) {
  const date = one.updated_at ? el("time", { datetime: one.updated_at }, day(one.updated_at)) : "";
  const version = one.version ?? "";
  const about = [one.version && t("reader.version", { version }), one.updated_at && day(one.updated_at), t("documents.count", { n: one.chunk_count })];
  const name = nameOf(one);
  return el(
    "tr",
    {},
    el(
      "th",
      { scope: "row" },
      el(
        "button",
        { type: "button", class: "document-name", title: one.source, "aria-label": t("documents.read", { name }), onclick: () => openDocument(one.document_id) },
        name,
      ),
      one.title !== name && el("span", { class: "document-title" }, one.title),
      one.superseded_by && el("span", { class: "badge" }, t("documents.superseded", { name: one.superseded_by.split("/").pop() })),
      el("span", { class: "narrow" }, about.filter(Boolean).join(" · ")),
    ),
    el("td", { class: "wide" }, version),
    el("td", { class: "wide" }, date),
    el("td", { class: "wide count" }, number(one.chunk_count)),
    el("td", { class: "actions" }, iconButton("trash", t("documents.delete", { name }), () => drop(one))),
  );
}

async function drop(one) {
  const name = nameOf(one);
  if (!(await confirmed(t("documents.delete.title"), t("documents.delete.text", { name })))) return;
  try {
    await remove(`/api/documents/${one.document_id}`);
    notify(t("documents.deleted", { name }));
  } catch (problem) {
    notify(saidOf(problem));
  }
  await load();
  onChanged();
  byId("documents-title").focus();
}

/** Set up the list; `whenChanged` is called after a document was deleted. */
export function install(whenChanged) {
  onChanged = whenChanged;
  byId("filter").addEventListener("input", () => {
    rows = ROWS;
    draw();
  });
  byId("documents-more").addEventListener("click", () => {
    rows += ROWS;
    draw();
  });
  onLanguage(draw);
}
