/** Puts the parts of the page together, and shows the one that the address names. */

import * as about from "./about.js";
import { health, onLocked } from "./api.js";
import * as chat from "./chat.js";
import * as confirm from "./confirm.js";
import * as documents from "./documents.js";
import { byId, notify } from "./dom.js";
import * as key from "./key.js";
import { localise, onLanguage, t, toggleLanguage } from "./language.js";
import * as layers from "./layers.js";
import * as narrowing from "./narrowing.js";
import { saidOf } from "./problems.js";
import * as reader from "./reader.js";
import * as sessions from "./sessions.js";
import * as sidebar from "./sidebar.js";
import * as uploads from "./uploads.js";

/** Show what the address names: `#/` a new conversation, `#/chat/NAME` one that there is, `#/documents` the list. */
async function route() {
  const [, part, name] = location.hash.split("/");
  const isDocuments = part === "documents";
  byId("documents").hidden = !isDocuments;
  byId("chat").hidden = isDocuments;
  byId("skip").hidden = isDocuments;
  byId("nav-documents").setAttribute("aria-current", isDocuments ? "page" : "false");
  sidebar.close();
  if (isDocuments) {
    reader.close();
    document.title = `${t("app.documents")} – Folio`;
    await documents.load();
    byId("documents-title").focus();
  } else {
    await chat.open(part === "chat" && name ? decodeURIComponent(name) : null);
    if (matchMedia("(hover: hover)").matches) chat.focus();
  }
  sessions.draw();
}

async function refreshHealth() {
  chat.setHealth(await health());
}

/** Ask for a key until the server knows it: without one it says that it is well, and nothing else. */
async function enter() {
  for (;;) {
    const found = await health();
    if (found.counts) return chat.setHealth(found);
    await key.askForKey(Boolean(sessionStorage.getItem("folio.key")));
  }
}

function installTheme() {
  const button = byId("theme");
  const draw = () => {
    const isDark = document.documentElement.dataset.theme === "dark";
    button.setAttribute("aria-pressed", isDark);
    button.title = t(isDark ? "app.light" : "app.dark");
    button.querySelector("use").setAttribute("href", isDark ? "#icon-sun" : "#icon-moon");
  };
  button.addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("folio.theme", theme);
    document.documentElement.dataset.theme = theme;
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  onLanguage(draw);
  draw();
}

function onEscape(event) {
  if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open]")) return;
  if (sidebar.isOpen()) sidebar.close();
  else if (reader.isOpen() && !(chat.isAsking() && document.activeElement === byId("question"))) reader.close();
  else chat.stop();
}

async function start() {
  localise();
  byId("language").addEventListener("click", toggleLanguage);
  installTheme();
  for (const part of [key, confirm, layers, sidebar, reader, sessions, narrowing, about]) part.install();
  chat.install(() => sessions.load());
  documents.install(refreshHealth);
  uploads.install(async () => {
    await documents.load();
    await refreshHealth();
  });
  onLocked(key.askForKey);
  document.addEventListener("keydown", onEscape);
  // The address may be the same as before.
  for (const link of document.querySelectorAll('a[href="#/"]')) link.addEventListener("click", () => chat.begin());
  byId("skip").addEventListener("click", (event) => {
    // The address says which part is shown, so it cannot say where the keyboard is.
    event.preventDefault();
    chat.focus();
  });
  try {
    await enter();
    await sessions.load();
    await route();
  } catch (problem) {
    if (problem.status === undefined) throw problem;
    notify(`${t("app.failed")} ${saidOf(problem)}`);
  }
  window.addEventListener("hashchange", route);
  document.documentElement.dataset.ready = "";
}

start();
