/** Where one text stands in another, whatever their white space, labels and invisible characters. */

const SKIPPED = /\s|[\u200b-\u200f\u2060\ufeff]/;
const LABEL = /^\[S\d+\]/;
const AFTER = /^(?:\s*\[S\d+\])+[。.；;]?|^\s*(?:（文档未证实）|\(not confirmed by the documents\))/;

/** Return the letters of a text and where each of them stands in it. */
function letters(text) {
  const found = [];
  const places = [];
  for (let i = 0; i < text.length; ) {
    const label = text[i] === "[" && LABEL.exec(text.slice(i, i + 8));
    if (label) i += label[0].length;
    else {
      if (!SKIPPED.test(text[i])) {
        found.push(text[i]);
        places.push(i);
      }
      i += 1;
    }
  }
  return { text: found.join(""), places };
}

/** Return where the part begins and ends in the whole, from that letter of it on; null when it is not there. */
function find(whole, part, from) {
  const wanted = letters(part).text;
  const at = wanted ? whole.text.indexOf(wanted, from) : -1;
  if (at < 0) return null;
  const last = at + wanted.length - 1;
  return { start: whole.places[at], end: whole.places[last] + 1, next: last + 1 };
}

/** Return the ranges of quotations in a passage, in order and apart; those that it does not hold have none. */
export function quotationsIn(text, quotes) {
  const whole = letters(text);
  const found = quotes.map((quote) => find(whole, quote, 0)).filter(Boolean);
  const ranges = [];
  for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else ranges.push({ start, end });
  }
  return ranges;
}

/** Return a range for each check whose sentence stands in the answer, with the labels and the mark behind it. */
export function claimsIn(answer, checks) {
  const whole = letters(answer);
  const ranges = [];
  let from = 0;
  for (const check of checks) {
    if (check.status === "removed") continue;
    const found = find(whole, check.claim, from);
    if (!found) continue;
    from = found.next;
    let { end } = found;
    for (let more = AFTER.exec(answer.slice(end)); more; more = AFTER.exec(answer.slice(end))) end += more[0].length;
    ranges.push({ start: found.start, end, check });
  }
  return ranges;
}
