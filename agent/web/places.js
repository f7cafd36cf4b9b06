/** Where a passage stands, in words: file › section › page. */

import { t } from "./language.js";

export function filename(source) {
  return source.split("/").pop();
}

/** Return the headings of a passage without its title, which says what the file name says. */
export function headings(heading, title) {
  const parts = heading.split(" > ").filter(Boolean);
  return (parts.length > 1 && (!title || parts[0] === title) ? parts.slice(1) : parts).join(" › ");
}

/** Call sources of one file name by their whole names. */
export function apart(sources) {
  const isShared = ({ filename, source }) => sources.some((one) => one.filename === filename && one.source !== source);
  return sources.map((one) => (isShared(one) ? { ...one, filename: one.source } : one));
}

export function place(source) {
  const page = source.page ? t("reader.page", { page: source.page }) : "";
  return [source.filename, source.section, page].filter(Boolean).join(" › ");
}

/** Return a source as the page works with it: of an answer, of a turn that is remembered, or of a hit. */
export function asSource(given) {
  return {
    label: given.id ?? given.label ?? "",
    chunk: given.chunk_id,
    filename: given.filename ?? filename(given.source),
    source: given.source,
    section: given.heading !== undefined ? headings(given.heading) : given.section.replaceAll(" > ", " › "),
    page: given.page ?? null,
    content: given.content ?? "",
    quote: given.quote ?? "",
    quotes: given.quote ? [given.quote] : [],
  };
}
