// A front end finds its shortcuts by the focused element, so that "dd" in a list would delete the
// cell. Lumino (JupyterLab, Notebook) leaves keys alone on an element with this attribute.
export default {
  render({ el }) {
    const keep = (event) => {
      if (el.closest(".dirframe-explorer")?.contains(event.target)) {
        const saves = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
        event.target.toggleAttribute("data-lm-suppress-shortcuts", !saves);
      }
    };
    // Lumino listens to the document in the capturing phase; only the window is asked before it.
    window.addEventListener("keydown", keep, true);
    return () => window.removeEventListener("keydown", keep, true);
  },
};
