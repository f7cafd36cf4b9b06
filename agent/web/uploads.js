/** Files on their way into the knowledge base: one after the other, each with how far it is. */

import { stated } from "./about.js";
import { authorization, get, key, problemOf, Problem } from "./api.js";
import { announce, byId, el, icon, iconButton } from "./dom.js";
import { onLanguage, t } from "./language.js";
import { askForKey } from "./key.js";
import { phrase } from "./phrases.js";
import { saidOf, titleOf } from "./problems.js";

const POLL_MILLISECONDS = 1000;
let uploads = [];
let isSending = false;
let onTaken = () => {};

/** Send these files when their turn comes, with what is said of them now. */
export function add(files) {
  const about = stated();
  if (!about) return;
  for (const file of files) uploads.push({ file, about, state: "waiting", percent: 0, replace: false });
  draw();
  work();
}

async function work() {
  if (isSending) return;
  isSending = true;
  for (let next = waiting(); next; next = waiting()) await bringIn(next);
  isSending = false;
}

function waiting() {
  return uploads.find((upload) => upload.state === "waiting");
}

async function bringIn(upload) {
  set(upload, { state: "sending", percent: 0, problem: null });
  try {
    const { status, said } = await sendUnlocked(upload);
    if (status === 202) {
      set(upload, { state: "background" });
      // Others need not wait for it here; they wait their turn at the server.
      follow(upload, said.status_url);
    } else taken(upload, said);
  } catch (problem) {
    failed(upload, problem);
  }
}

async function follow(upload, address) {
  try {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
      const state = await get(address);
      if (state.status === "done") return taken(upload, state.document);
      if (state.status === "failed") throw new Problem(state.problem.status, state.problem.detail);
    }
  } catch (problem) {
    return failed(upload, problem);
  }
}

async function sendUnlocked(upload) {
  for (;;) {
    const sent = key();
    const { status, text } = await post(upload);
    if (status >= 200 && status < 300) return { status, said: JSON.parse(text) };
    if (status !== 401) throw problemOf(status, text);
    if (key() === sent) await askForKey(Boolean(sent));
  }
}

/** Post a file; fetch could not say how much of it is sent. */
function post(upload) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const body = new FormData();
    body.append("file", upload.file, upload.file.name);
    const { folder, metadata } = upload.about;
    if (folder) body.append("name", `${folder}/${upload.file.name}`);
    if (Object.keys(metadata).length) body.append("metadata", JSON.stringify(metadata));
    if (upload.replace) body.append("replace", "true");
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      set(upload, { percent: Math.floor((100 * loaded) / total) });
    });
    request.upload.addEventListener("load", () => set(upload, { state: "reading" }));
    request.addEventListener("load", () => resolve({ status: request.status, text: request.responseText }));
    request.addEventListener("error", () => reject(new Problem(0, "")));
    request.open("POST", "/api/documents");
    for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value);
    request.send(body);
  });
}

function taken(upload, document) {
  set(upload, { state: "done", document });
  announce(`${upload.file.name}: ${said(upload)}`);
  onTaken();
}

function failed(upload, problem) {
  set(upload, { state: "failed", problem });
  announce(`${upload.file.name}: ${saidOf(problem)}`);
}

function set(upload, values) {
  Object.assign(upload, values);
  draw();
}

function said({ state, percent, document, problem }) {
  switch (state) {
    case "waiting":
      return t("upload.waiting");
    case "sending":
      return t("upload.sending", { percent });
    case "reading":
      return t("upload.reading");
    case "background":
      return t("upload.background");
    case "done":
      return t(`upload.${document.outcome}`, { n: document.chunk_count });
    default:
      return t("upload.failed", { why: titleOf(problem) });
  }
}

function draw() {
  byId("uploads").hidden = !uploads.length;
  const focused = document.activeElement?.closest?.("#upload-list") ? document.activeElement.getAttribute("aria-label") : null;
  byId("upload-list").replaceChildren(...uploads.map(item));
  // A row that is drawn anew must not take the keyboard's place with it.
  if (focused) byId("upload-list").querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

function item(upload) {
  const { file, state, percent, document, problem } = upload;
  const isOver = state === "done" || state === "failed";
  const name = file.name;
  const isTaken = problem?.status === 409 && problem.more.document_id;
  const known = state === "sending" ? { value: percent } : {};
  return el(
    "li",
    { class: state },
    icon(state === "done" ? "check" : state === "failed" ? "alert" : "page"),
    el(
      "div",
      { class: "upload-what" },
      el("span", { class: "upload-name" }, name),
      el("span", { class: "upload-state" }, said(upload)),
      !isOver && el("progress", { max: 100, ...known, "aria-label": t("upload.progress", { name }) }),
      problem?.message && !isTaken && phrase("span", { class: "reason" }, problem.message),
      document?.warnings.map((warning) => phrase("span", { class: "reason" }, warning)),
    ),
    isTaken &&
      el(
        "button",
        { type: "button", class: "plain", "aria-label": t("upload.replace.label", { name }), onclick: () => again(upload) },
        t("upload.replace"),
      ),
    isOver && iconButton("close", t("upload.dismiss", { name }), () => dismiss(upload)),
  );
}

function again(upload) {
  set(upload, { state: "waiting", replace: true, problem: null });
  work();
}

function dismiss(upload) {
  uploads = uploads.filter((one) => one !== upload);
  draw();
  byId("choose").focus();
}

/** Set up where files are chosen and dropped; `whenTaken` is called after each document that is in. */
export function install(whenTaken) {
  onTaken = whenTaken;
  const input = byId("files");
  byId("choose").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    add([...input.files]);
    input.value = "";
  });
  const drop = byId("drop");
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    drop.classList.remove("over");
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    location.hash = "#/documents";
    add([...event.dataTransfer.files]);
  });
  onLanguage(draw);
}
