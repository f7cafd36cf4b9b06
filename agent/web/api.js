/** Requests to the server, with the key where there is one. */

import { events } from "./events.js";

const KEY = "folio.key";

/** What went wrong: the status, 0 when the server was not reached, and what it says (RFC 9457). */
export class Problem extends Error {
  constructor(status, detail, more = {}) {
    super(detail);
    this.status = status;
    this.more = more;
  }
}

let unlock = null;

/** Say what asks a person for a key; it gets whether one was refused, and ends when there is another. */
export function onLocked(ask) {
  unlock = ask;
}

export function key() {
  return sessionStorage.getItem(KEY);
}

export function setKey(written) {
  if (written) sessionStorage.setItem(KEY, written);
  else sessionStorage.removeItem(KEY);
}

export function authorization() {
  return key() ? { Authorization: `Bearer ${key()}` } : {};
}

/** Read the problem details of an answer that is none. */
export function problemOf(status, text) {
  try {
    const said = JSON.parse(text);
    return new Problem(status, said.detail ?? "", said);
  } catch {
    return new Problem(status, "");
  }
}

/** Send a request, and again with another key while it is refused for want of one. */
export async function send(path, { method = "GET", json, signal } = {}) {
  for (;;) {
    const sent = key();
    const headers = { ...authorization(), ...(json ? { "Content-Type": "application/json" } : {}) };
    let response;
    try {
      response = await fetch(path, { method, headers, body: json && JSON.stringify(json), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem(0, "");
    }
    if (response.ok) return response;
    const problem = problemOf(response.status, await response.text());
    if (problem.status !== 401) throw problem;
    // Another request may have asked meanwhile.
    if (key() === sent) await unlock(Boolean(sent));
  }
}

export async function get(path, options) {
  return (await send(path, options)).json();
}

export async function remove(path) {
  await send(path, { method: "DELETE" });
}

/** Ask a question and yield the events of its answer. */
export async function* ask(body, signal) {
  const response = await send("/api/chat", { method: "POST", json: { ...body, stream: true }, signal });
  yield* events(response.body);
}

/** Say how the server is; whoever it does not know learns no counts. */
export function health() {
  return get("/health");
}
