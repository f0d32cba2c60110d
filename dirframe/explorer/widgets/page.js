// A front end finds its shortcuts by the focused element, so that "dd" in a list would delete the
// cell. Lumino (JupyterLab, Notebook) searches no further up than an element with this attribute;
// it has to be the focused one, which the selectors of the shortcuts match.
const SUPPRESSING = "data-lm-suppress-shortcuts";

const LINK = "#dirframe="; // as in saved_view.py

const saves = (event) => (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";

// Front ends name their themes in many ways; text that is lighter than grey is on a dark page.
const isDark = (el) => {
  const [red, green, blue] = getComputedStyle(el).color.match(/[\d.]+/g).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 128;
};

export default {
  render({ model, el }) {
    const tell = () => {
      if (el.isConnected && isDark(el) !== model.get("is_dark")) {
        model.set("is_dark", isDark(el));
        model.save_changes();
      }
    };
    const themes = new MutationObserver(() => requestAnimationFrame(tell));
    themes.observe(document.documentElement, { attributes: true });
    themes.observe(document.body, { attributes: true });
    requestAnimationFrame(tell); // the element is attached after this call
    const widths = new ResizeObserver(() => {
      const width = Math.round(el.parentElement?.clientWidth ?? 0);
      if (width && width !== model.get("width")) {
        model.set("width", width);
        model.save_changes();
      }
    });
    requestAnimationFrame(() => el.parentElement && widths.observe(el.parentElement));
    const follow = (address) => {
      const link = address.slice(address.indexOf("#"));
      if (link.startsWith(LINK) && link !== model.get("link")) {
        model.set("link", link);
        model.save_changes();
      }
    };
    const change = (event) => follow(event.newURL);
    // JupyterLab takes the end of the address away, so ask for the one that was opened.
    follow(performance.getEntriesByType("navigation")[0]?.name ?? location.href);
    window.addEventListener("hashchange", change);
    const decide = (event) => {
      if (el.closest(".dirframe-explorer")?.contains(event.target)) {
        event.target.toggleAttribute(SUPPRESSING, !saves(event));
      }
    };
    // Lumino listens to the document in the capturing phase; only the window is asked before it.
    window.addEventListener("keydown", decide, true);
    return () => {
      themes.disconnect();
      widths.disconnect();
      window.removeEventListener("hashchange", change);
      window.removeEventListener("keydown", decide, true);
    };
  },
};
