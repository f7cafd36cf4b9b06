/** Asks for a key where the server wants one. It stays in this tab, and goes with it. */

import { key, setKey } from "./api.js";
import { byId } from "./dom.js";
import { t } from "./language.js";

let waiting = null;

/** Ask for a key and return when there is one; `wasRefused` says that the last one did not do. */
export function askForKey(wasRefused) {
  waiting ??= new Promise((resolve) => {
    byId("key-problem").textContent = wasRefused ? t("key.unknown") : "";
    byId("key").value = "";
    byId("key-dialog").showModal();
    byId("key-form").addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        setKey(byId("key").value.trim());
        byId("key-dialog").close();
        waiting = null;
        showForget();
        resolve();
      },
      { once: true },
    );
  });
  return waiting;
}

function showForget() {
  byId("forget-key").hidden = !key();
}

export function install() {
  // There is nothing to see without a key.
  byId("key-dialog").addEventListener("cancel", (event) => event.preventDefault());
  byId("forget-key").addEventListener("click", () => {
    setKey("");
    location.assign("/");
  });
  showForget();
}
