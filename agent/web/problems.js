/** What went wrong, in words for people: what kind of problem it is, then what the server says. */

import { has, t } from "./language.js";
import { translated } from "./phrases.js";

export function titleOf(problem) {
  const named = `problem.${problem.status ?? "other"}`;
  return t(has(named) ? named : "problem.other");
}

export function saidOf(problem) {
  const title = titleOf(problem);
  return problem.message ? t("problem.said", { title, detail: translated(problem.message) ?? problem.message }) : title;
}
