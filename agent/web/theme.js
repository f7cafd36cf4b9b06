// Runs before anything is painted, so that a dark page does not flash light. Not a module: those wait for the markup.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const chosen = localStorage.getItem("folio.theme");
    document.documentElement.dataset.theme = chosen ?? (system.matches ? "dark" : "light");
  };
  apply();
  system.addEventListener("change", apply);
})();
