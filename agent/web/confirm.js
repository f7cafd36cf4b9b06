/** Asks whether something is to be deleted for good. */

import { byId } from "./dom.js";

/** Say whether a person wants it. Without a choice, as after Esc, the answer is no. */
export function confirmed(title, text) {
  const dialog = byId("confirm");
  byId("confirm-title").textContent = title;
  byId("confirm-text").textContent = text;
  dialog.returnValue = "";
  dialog.showModal();
  byId("confirm-cancel").focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

export function install() {
  const dialog = byId("confirm");
  byId("confirm-cancel").addEventListener("click", () => dialog.close(""));
  byId("confirm-go").addEventListener("click", () => dialog.close("yes"));
}
