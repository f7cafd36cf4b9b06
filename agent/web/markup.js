/**
 * The Markdown of answers and passages as elements: headings, lists, tables, code, bold.
 *
 * No links, no images, no markup of the text's own. Each piece of text knows where it stands in the whole, so that
 * ranges of it (a quotation, a sentence that was checked) can be marked whatever blocks they stand in.
 */

import { el } from "./dom.js";

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^(#{1,6})\s+/;
const ITEM = /^(\s*)(?:[-*+•]|(\d+)[.)、])\s+/;
const RULE = /^\s*\|?[\s:|-]+\|?\s*$/;
const INLINE = /\*\*(?=\S)(.+?)\*\*|`([^`\n]+)`|\[(S\d+)\]/g;

/**
 * Return the blocks of a text.
 *
 * `ranges` are parts of it, in order; `wrap(range)` makes the element around each piece of one, and `after(range)`
 * what stands behind its last. `cite(label)` makes what stands for `[S1]`; without it, that is text like any other.
 */
export function render(text, { ranges = [], wrap = null, after = null, cite = null } = {}) {
  const run = new Run(text, ranges, wrap, cite);
  const blocks = [];
  const lines = linesOf(text);
  let i = 0;
  while (i < lines.length) {
    const line = lines[i];
    let end = i + 1;
    if (!line.text.trim()) {
      i = end;
      continue;
    }
    const fence = FENCE.exec(line.text);
    if (fence) {
      while (end < lines.length && !lines[end].text.trimStart().startsWith(fence[1])) end += 1;
      blocks.push(el("pre", { tabindex: "0" }, el("code", {}, run.plain(line.end + 1, lines[end - 1].end))));
      end += 1;
    } else if (line.text.trimStart().startsWith("|")) {
      while (end < lines.length && lines[end].text.trimStart().startsWith("|")) end += 1;
      blocks.push(table(lines.slice(i, end), run));
    } else if (HEADING.test(line.text)) {
      const start = line.start + HEADING.exec(line.text)[0].length;
      blocks.push(el("p", { class: "heading" }, run.inline(start, line.end)));
    } else if (ITEM.test(line.text)) {
      while (end < lines.length && (ITEM.test(lines[end].text) || isContinued(lines[end].text))) end += 1;
      blocks.push(list(lines.slice(i, end), run));
    } else {
      while (end < lines.length && isParagraph(lines[end].text)) end += 1;
      blocks.push(paragraph(lines.slice(i, end), run));
    }
    i = end;
  }
  if (after) run.finish(after);
  return blocks;
}

function linesOf(text) {
  let start = 0;
  return text.split("\n").map((line) => {
    const found = { text: line, start, end: start + line.length };
    start = found.end + 1;
    return found;
  });
}

function isParagraph(line) {
  return line.trim() && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line) && !line.trimStart().startsWith("|");
}

function isContinued(line) {
  return /^\s{2,}\S/.test(line) && isParagraph(line);
}

function paragraph(lines, run) {
  return el("p", {}, lines.map((line, n) => [n ? el("br") : null, run.inline(line.start, line.end)]));
}

function list(lines, run) {
  const numbered = ITEM.exec(lines[0].text)[2] !== undefined;
  const root = el(numbered ? "ol" : "ul");
  let item = null;
  for (const line of lines) {
    const marker = ITEM.exec(line.text);
    if (!marker) item.append(el("br"), ...run.inline(line.start + line.text.search(/\S/), line.end));
    else {
      const deep = marker[1].length >= 2;
      item = el("li", { value: numbered && marker[2] ? marker[2] : null, class: deep ? "deep" : null });
      item.append(...run.inline(line.start + marker[0].length, line.end));
      root.append(item);
    }
  }
  return root;
}

function table(lines, run) {
  const hasHeader = lines.length > 1 && RULE.test(lines[1].text);
  const rows = lines.filter((line) => !RULE.test(line.text));
  const made = rows.map((line, n) => {
    const tag = hasHeader && n === 0 ? "th" : "td";
    const scope = tag === "th" ? { scope: "col" } : {};
    return el("tr", {}, cells(line).map(([start, end]) => el(tag, scope, run.inline(start, end))));
  });
  const head = hasHeader ? el("thead", {}, made.shift()) : null;
  // A wide table is scrolled on its own, also with the keyboard.
  return el("div", { class: "table", tabindex: "0" }, el("table", {}, head, el("tbody", {}, made)));
}

/** Return where each cell of a row begins and ends; a pipe may stand in a cell as `\|`. */
function cells(line) {
  const found = [];
  let start = line.text.indexOf("|") + 1;
  for (let i = start; i <= line.text.length; i += 1) {
    const isEnd = i === line.text.length;
    if (!isEnd && (line.text[i] !== "|" || line.text[i - 1] === "\\")) continue;
    const cell = line.text.slice(start, i);
    if (!isEnd || cell.trim()) {
      const begins = start + (cell.length - cell.trimStart().length);
      found.push([line.start + begins, line.start + Math.max(begins, start + cell.trimEnd().length)]);
    }
    start = i + 1;
  }
  return found;
}

/** Makes the pieces of a text in order, and remembers which of them are in which range. */
class Run {
  constructor(text, ranges, wrap, cite) {
    this.text = text;
    this.ranges = ranges;
    this.wrap = wrap;
    this.cite = cite;
    this.last = new Map();
  }

  /** Return the nodes of a part: bold, code and labels, wrapped where a range says so. */
  inline(start, end) {
    const nodes = [];
    const part = this.text.slice(start, end);
    let at = 0;
    for (const match of part.matchAll(INLINE)) {
      if (match[3] && !this.cite) continue;
      nodes.push(...this.plain(start + at, start + match.index));
      const place = start + match.index;
      if (match[3]) nodes.push(this.wrapped(place, this.cite(match[3])));
      else {
        const inner = el(match[1] ? "strong" : "code");
        inner.append(...(match[1] ? this.inline(place + 2, place + 2 + match[1].length) : [match[2]]));
        nodes.push(match[1] ? inner : this.wrapped(place, inner));
      }
      at = match.index + match[0].length;
    }
    nodes.push(...this.plain(start + at, end));
    return this.joined(nodes);
  }

  /** Return text nodes of a part, cut where ranges begin and end. */
  plain(start, end) {
    const cuts = this.ranges.flatMap((range) => [range.start, range.end]).filter((cut) => cut > start && cut < end);
    const places = [...new Set([start, ...cuts, end])].sort((a, b) => a - b);
    const nodes = [];
    for (let i = 0; i + 1 < places.length; i += 1) {
      const text = this.text.slice(places[i], places[i + 1]);
      if (text) nodes.push(this.wrapped(places[i], document.createTextNode(text)));
    }
    return nodes;
  }

  wrapped(place, node) {
    const range = this.wrap && this.ranges.find((one) => one.start <= place && place < one.end);
    if (!range) return node;
    const around = this.wrap(range);
    around.append(node);
    this.last.set(range, around);
    around.range = range;
    return around;
  }

  /** Put neighbours of one range into one element. */
  joined(nodes) {
    const found = [];
    for (const node of nodes) {
      const before = found.at(-1);
      if (node.range && before?.range === node.range) {
        before.append(...node.childNodes);
        this.last.set(node.range, before);
      } else found.push(node);
    }
    return found;
  }

  finish(after) {
    for (const [range, around] of this.last) around.append(after(range));
  }
}
