/** The menu at the side, which lies over the page where there is no room beside it. */

import { byId } from "./dom.js";
import * as layers from "./layers.js";

export function isOpen() {
  return document.body.classList.contains("menu");
}

export function close() {
  if (!isOpen()) return;
  set(false);
  byId("menu-open").focus();
}

function set(isShown) {
  document.body.classList.toggle("menu", isShown);
  byId("scrim").hidden = !isShown;
  byId("menu-open").setAttribute("aria-expanded", isShown);
  layers.update();
  if (isShown) byId("menu-close").focus();
}

export function install() {
  byId("menu-open").addEventListener("click", () => set(true));
  byId("menu-close").addEventListener("click", close);
  byId("scrim").addEventListener("click", close);
  layers.MENU_LIES_OVER.addEventListener("change", () => set(false));
}
