/** The list of conversations, the latest used first. */

import { get, remove } from "./api.js";
import * as chat from "./chat.js";
import { confirmed } from "./confirm.js";
import { byId, el, iconButton, notify } from "./dom.js";
import { onLanguage, t } from "./language.js";
import { saidOf } from "./problems.js";

let listed = { sessions: [], titles: {} };

export async function load() {
  try {
    listed = await get("/api/sessions");
  } catch (problem) {
    notify(saidOf(problem));
  }
  draw();
}

export function draw() {
  const shown = listed.sessions.filter((name) => name in listed.titles);
  byId("sessions").replaceChildren(...shown.map(item));
  byId("sessions").hidden = !shown.length;
  byId("sessions-none").hidden = shown.length > 0;
}

function item(name) {
  const title = listed.titles[name];
  const isCurrent = location.hash.startsWith("#/chat/") && name === chat.current();
  return el(
    "li",
    {},
    el("a", { class: "nav-item", href: `#/chat/${name}`, "aria-current": isCurrent ? "page" : null, title }, el("span", {}, title)),
    iconButton("trash", t("session.delete", { title }), () => drop(name, title)),
  );
}

async function drop(name, title) {
  const isSure = await confirmed(t("session.delete.title"), t("session.delete.text", { title }));
  if (!isSure) return;
  try {
    await remove(`/api/sessions/${name}`);
    notify(t("session.deleted"));
    if (chat.current() === name) location.hash = "#/";
  } catch (problem) {
    notify(saidOf(problem));
  }
  await load();
  byId("nav-new").focus();
}

export function install() {
  onLanguage(draw);
}
