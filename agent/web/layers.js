/** What lies over the page: the menu, and the side panel where there is no room beside it. */

import { byId } from "./dom.js";

export const MENU_LIES_OVER = matchMedia("(max-width: 820px)");
const PANEL_LIES_OVER = matchMedia("(max-width: 1100px)");

/** Keep the keyboard and screen readers out of what lies under something, or is out of sight. */
export function update() {
  const hasMenu = document.body.classList.contains("menu");
  const isUnderPanel = PANEL_LIES_OVER.matches && document.body.classList.contains("reading");
  const isUnder = isUnderPanel || (MENU_LIES_OVER.matches && hasMenu);
  byId("main").inert = isUnder;
  byId("topbar").inert = isUnder;
  byId("sidebar").inert = isUnderPanel || (MENU_LIES_OVER.matches && !hasMenu);
}

export function install() {
  for (const query of [MENU_LIES_OVER, PANEL_LIES_OVER]) query.addEventListener("change", update);
  update();
}
