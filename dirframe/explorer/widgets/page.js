// A front end finds its shortcuts by the focused element, so that "dd" in a list would delete the
// cell. Lumino (JupyterLab, Notebook) searches no further up than an element with this attribute;
// it has to be the focused one, which the selectors of the shortcuts match.
const SUPPRESSING = "data-lm-suppress-shortcuts";

const saves = (event) => (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";

export default {
  render({ el }) {
    const decide = (event) => {
      if (el.closest(".dirframe-explorer")?.contains(event.target)) {
        event.target.toggleAttribute(SUPPRESSING, !saves(event));
      }
    };
    // Lumino listens to the document in the capturing phase; only the window is asked before it.
    window.addEventListener("keydown", decide, true);
    return () => window.removeEventListener("keydown", decide, true);
  },
};
