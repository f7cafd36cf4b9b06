/** What the server says in English in a fixed form, in the language of the page: reasons, thoughts, warnings. */

import { el } from "./dom.js";
import { t } from "./language.js";

const FORMS = {
  opposite: /^(?<cited>(?:\[[^\]]+\])+) says the opposite: it has (?<held>.+), not (?<said>.+)$/s,
  word_for_word: /^(?<said>“.*”) does not stand in (?<cited>(?:\[[^\]]+\])+) word for word$/s,
  in_place: /^(?<said>.+) does not stand in (?<cited>(?:\[[^\]]+\])+) in this place, which has (?<held>.+)$/s,
  absent: /^(?<said>.+) does not stand in (?<cited>(?:\[[^\]]+\])+)$/s,
  relabelled: /^it cited (?<cited>nothing|(?:\[[^\]]+\])+); (?<label>\[[^\]]+\]) says it$/,
  no_label: /^no label, and no passage says it$/,
  hardly: /^(?<cited>(?:\[[^\]]+\])+) hardly holds a word of it$/,
  alone: /^The question stands alone(?: now)?\.$/,
  rewrite: /^It needs the conversation, or asks about several things\.$/,
  nothing_about: /^No passage is about what was asked\.$/,
  nearest: /^S(?<label>\d+) is nearest\.$/,
  pages_without_text: /^(?<n>\d+) of (?<all>\d+) pages without text: (?<pages>[\d, –-]+)$/,
  empty_file: /^(?:.+: )?file is empty$/s,
  password: /^(?:.+: )?password required; .+$/s,
};

/** Nothing, in a reason. */
function named(values) {
  const nothing = t("phrase.nothing");
  return Object.fromEntries(Object.entries(values ?? {}).map(([name, text]) => [name, text === "nothing" ? nothing : text]));
}

function known(text) {
  for (const [name, form] of Object.entries(FORMS)) {
    const match = form.exec(text);
    if (match) return t(`phrase.${name}`, named(match.groups));
  }
  return null;
}

/** Return the text in the language of the page; a list parted by semicolons only when each part is known. */
export function translated(text) {
  const whole = known(text);
  if (whole !== null) return whole;
  const parts = text.split("; ").map(known);
  return parts.includes(null) ? null : parts.join(t("phrase.and"));
}

/** Return an element with the text; what is not known stays English, and says so to whoever reads it out. */
export function phrase(tag, attributes, text, shown = (words) => words) {
  const words = translated(text);
  return el(tag, words === null ? { lang: "en", ...attributes } : attributes, shown(words ?? text));
}
