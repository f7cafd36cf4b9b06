/** The side panel: a passage in its section with the quotation marked, or a whole document. */

import { get } from "./api.js";
import { byId, el, icon } from "./dom.js";
import { day, onLanguage, t } from "./language.js";
import * as layers from "./layers.js";
import { render } from "./markup.js";
import { asSource, headings, place } from "./places.js";
import { saidOf } from "./problems.js";
import { quotationsIn } from "./ranges.js";

const PART = 100;
let opener = null;
let redraw = null;
let latest = 0;

const panel = () => byId("reader");

export function isOpen() {
  return !panel().hidden;
}

export function close() {
  if (!isOpen()) return;
  panel().hidden = true;
  document.body.classList.remove("reading");
  layers.update();
  redraw = null;
  latest += 1;
  if (opener?.isConnected) opener.focus();
  opener = null;
}

/** Show one of the sources of an answer, and the others above it. */
export function openSources(sources, label) {
  const chosen = sources.find((source) => source.label === label) ?? sources[0];
  show(t("sources.title"), () => {
    const shown = sources.length > 1 ? [tabs(sources, chosen)] : [];
    return passage(chosen, shown);
  });
}

/** Show a passage that was found. */
export function openPassage(hit) {
  show(t("reader.passage"), () => passage(asSource(hit), []));
}

/** Show a document from its beginning. */
export function openDocument(id) {
  show(t("reader.document"), () => whole(id));
}

function show(title, draw) {
  if (!panel().contains(document.activeElement)) opener = document.activeElement;
  redraw = async () => {
    const mine = ++latest;
    byId("reader-title").textContent = title;
    const body = byId("reader-body");
    if (!body.childElementCount || panel().hidden) body.replaceChildren(el("p", { class: "quiet" }, t("reader.loading")));
    panel().hidden = false;
    document.body.classList.add("reading");
    layers.update();
    let nodes;
    try {
      nodes = await draw();
    } catch (problem) {
      nodes = [el("p", { class: "problem" }, saidOf(problem))];
    }
    // Another was opened while this was loading.
    if (mine !== latest) return;
    body.replaceChildren(...nodes);
    const quoted = body.querySelector("mark, .cited");
    if (quoted) quoted.scrollIntoView({ block: "center" });
    else body.scrollTop = 0;
  };
  redraw();
  byId("reader-title").focus({ preventScroll: true });
}

function tabs(sources, chosen) {
  return el(
    "ul",
    { class: "tabs", "aria-label": t("sources.of") },
    sources.map((source) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            "aria-current": source === chosen ? "true" : null,
            "aria-label": t("sources.open", { label: source.label, place: place(source) }),
            onclick: () => {
              openSources(sources, source.label);
            },
          },
          el("span", { class: "number" }, source.label.slice(1)),
          el("span", { class: "where" }, source.filename),
        ),
      ),
    ),
  );
}

async function passage(source, above) {
  let around;
  try {
    around = await get(`/api/passages/${source.chunk}`);
  } catch (problem) {
    if (problem.status !== 404) throw problem;
    return [...above, ...gone(source)];
  }
  const { document: shown, section } = around;
  return [
    ...above,
    head(shown, section.section.replaceAll(" > ", " › "), source.page),
    around.left_out_before > 0 && el("p", { class: "quiet" }, t("reader.before", { n: around.left_out_before })),
    el("div", { class: "section" }, section.passages.map((one) => passageText(one, source))),
    around.left_out_after > 0 && el("p", { class: "quiet" }, t("reader.after", { n: around.left_out_after })),
    el(
      "button",
      { type: "button", class: "plain", onclick: () => openDocument(shown.document_id) },
      icon("page"),
      t("documents.read", { name: shown.filename }),
    ),
  ].filter(Boolean);
}

function passageText(one, source) {
  if (one.chunk_id !== source.chunk) return el("div", { class: "passage prose" }, render(one.content));
  return el("div", { class: "passage prose cited" }, marked(one.content, source.quotes));
}

function marked(content, quotes) {
  return render(content, { ranges: quotationsIn(content, quotes), wrap: () => el("mark") });
}

function gone(source) {
  const bare = !source.content && !source.quote;
  return [
    el("div", { class: "where-head" }, el("h3", {}, source.filename), el("p", { class: "crumbs" }, source.section)),
    el("p", { class: "quiet" }, t(bare ? "reader.gone_bare" : "reader.gone")),
    !bare &&
      el("div", { class: "section" }, el("div", { class: "passage prose cited" }, marked(source.content || source.quote, source.quotes))),
  ].filter(Boolean);
}

function head(shown, section, page) {
  const facts = [
    page && t("reader.page", { page }),
    shown.version && t("reader.version", { version: shown.version }),
    shown.updated_at && day(shown.updated_at),
    shown.superseded_by && t("documents.superseded", { name: shown.superseded_by }),
  ].filter(Boolean);
  return el(
    "div",
    { class: "where-head" },
    el("h3", { title: shown.source }, shown.filename),
    section && el("p", { class: "crumbs" }, section),
    facts.length > 0 && el("p", { class: "facts" }, facts.join(" · ")),
  );
}

async function whole(id) {
  const text = el("div", { class: "section" });
  let last = null;
  const load = async (offset) => {
    const part = await get(`/api/documents/${id}/sections?limit=${PART}&offset=${offset}`);
    for (const section of part.sections) {
      if (section.section && section.section !== last) {
        text.append(el("h4", {}, headings(section.section, part.document.title)));
      }
      last = section.section;
      text.append(...section.passages.map((one) => el("div", { class: "passage prose" }, render(one.content))));
    }
    return part;
  };
  const first = await load(0);
  if (!first.total) text.append(el("p", { class: "quiet" }, t("reader.empty")));
  let shown = Math.min(PART, first.total);
  const more = el("button", { type: "button", class: "plain", hidden: shown >= first.total }, t("reader.more"));
  more.addEventListener("click", async () => {
    await load(shown);
    shown += PART;
    more.hidden = shown >= first.total;
  });
  return [head(first.document, "", null), text, more];
}

export function install() {
  byId("reader-close").addEventListener("click", close);
  onLanguage(() => redraw?.());
}
