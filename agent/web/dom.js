/** Elements. Text only ever becomes a text node, so nothing in a document or an answer can become markup. */

const SVG = "http://www.w3.org/2000/svg";

/** Make an element; functions become listeners (`onclick`), true an empty attribute, null and false none at all. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Make a picture of the sprite in index.html; what it means is said beside it. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.append(use);
  return svg;
}

export function iconButton(name, label, onclick, attributes = {}) {
  return el("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...attributes }, icon(name));
}

/** Text that only screen readers say. */
export function spoken(text) {
  return el("span", { class: "spoken" }, text);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Have a screen reader say something, when it is done with what it is saying. */
export function announce(text) {
  const region = byId("announcer");
  region.textContent = "";
  requestAnimationFrame(() => {
    region.textContent = text;
  });
}

/** Show and say what became of something, for a few seconds. */
export function notify(text) {
  const note = el("div", { class: "note" }, text);
  byId("notes").append(note);
  setTimeout(() => note.remove(), 6000);
}
