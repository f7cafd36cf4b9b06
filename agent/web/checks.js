/** What became of each sentence of an answer: marks in the text, and a list with the reasons. */

import { el, icon, spoken } from "./dom.js";
import { t } from "./language.js";
import { render } from "./markup.js";
import { phrase, translated } from "./phrases.js";

const SIGNS = { supported: "check", repaired: "repair", removed: "cross", unsupported: "doubt" };

const MARKER = /^\s*(?:[-*+•]|\d+[.)、])\s+/;

/** People see a source as its number. */
function numbered(text) {
  return text.replaceAll(/\[S(\d+)\]/g, "[$1]");
}

function verdict(check) {
  const labels = check.labels.map((label) => label.slice(1)).join(", ");
  return check.status === "supported" ? t("check.supported", { labels }) : t(`check.${check.status}`);
}

/** Return the element around a sentence. */
export function claim(check) {
  return el("span", { class: `claim ${check.status}` });
}

/** Return the mark behind a sentence; it says what became of it, and opens the list where the reason stands. */
export function mark(check, onOpen) {
  const label = [verdict(check), numbered(translated(check.reason) ?? check.reason)].filter(Boolean).join(": ");
  return el(
    "button",
    { type: "button", class: `mark ${check.status}`, "aria-label": label, title: label, onclick: () => onOpen(check) },
    icon(SIGNS[check.status]),
  );
}

/** Return in short how many sentences were checked, and how many of them were not simply supported. */
export function summary(checks) {
  const parts = [t("check.count", { n: checks.length })];
  for (const status of ["repaired", "removed", "unsupported"]) {
    const n = checks.filter((check) => check.status === status).length;
    if (n) parts.push(t(`check.${status}.count`, { n }));
  }
  return parts.join(" · ");
}

/** Return the list of all sentences, also of those that were removed. */
export function list(checks) {
  return el(
    "ol",
    { class: "checks" },
    checks.map((check) =>
      el(
        "li",
        { class: check.status, tabindex: "-1" },
        el("span", { class: "verdict" }, icon(SIGNS[check.status]), verdict(check), spoken("： ")),
        el(check.status === "removed" ? "del" : "div", { class: "prose" }, render(numbered(check.claim.replace(MARKER, "")))),
        check.reason && phrase("span", { class: "reason" }, check.reason, numbered),
      ),
    ),
  );
}
