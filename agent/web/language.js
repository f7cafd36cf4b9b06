/** The language of the page: the browser's, until another is chosen. */

import { WORDS } from "./words.js";

const KEPT = "folio.language";
const TAGS = { en: "en", zh: "zh-CN" };
const listeners = [];

function preferred() {
  const kept = localStorage.getItem(KEPT);
  if (kept in WORDS) return kept;
  const known = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag in WORDS);
  return known ?? "en";
}

let language = preferred();

/** Return a text of the page; a name that is not there is a mistake that must be seen. */
export function t(name, values) {
  const text = WORDS[language][name];
  if (text === undefined) throw new Error(`there is no text ${name}`);
  return typeof text === "function" ? text(values) : text;
}

export function has(name) {
  return name in WORDS[language];
}

/** Call this when the language is another. */
export function onLanguage(listener) {
  listeners.push(listener);
}

export function toggleLanguage() {
  language = language === "en" ? "zh" : "en";
  localStorage.setItem(KEPT, language);
  localise();
  for (const listener of listeners) listener();
}

/** Put the texts into the markup that names them: `data-t` its text, `data-t-label` and `data-t-placeholder` these. */
export function localise() {
  document.documentElement.lang = TAGS[language];
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
    if (element.matches("button")) element.title = t(element.dataset.tLabel);
  }
  for (const element of document.querySelectorAll("[data-t-placeholder]")) {
    element.placeholder = t(element.dataset.tPlaceholder);
  }
}

/** Return a day as people write it; what is no date stays as it is. */
export function day(written) {
  const date = new Date(written);
  if (Number.isNaN(date.valueOf())) return written;
  return new Intl.DateTimeFormat(TAGS[language], { dateStyle: "medium" }).format(date);
}

export function number(value) {
  return new Intl.NumberFormat(TAGS[language]).format(value);
}
