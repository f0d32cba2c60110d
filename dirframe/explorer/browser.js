// What Python cannot see of the page: the room for the chart, the theme, and keys.
const WIDTHS = { least: 320, most: 1100, step: 20 };

// A front end finds its shortcuts by the focused element, so that "dd" in a list would delete the
// cell. Lumino (JupyterLab, Notebook) leaves keys alone on an element with this attribute.
function keepKeys(el) {
  const keep = (event) => {
    if (el.closest(".dirframe-explorer")?.contains(event.target)) {
      const saves = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
      event.target.toggleAttribute("data-lm-suppress-shortcuts", !saves);
    }
  };
  // Lumino listens to the document in the capturing phase; only the window is asked before it.
  window.addEventListener("keydown", keep, true);
  return () => window.removeEventListener("keydown", keep, true);
}

function isDark(el) {
  for (let part = el; part; part = part.parentElement) {
    const [red, green, blue, alpha = 1] = getComputedStyle(part).backgroundColor.match(/[\d.]+/g).map(Number);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 110;
  }
  return false;
}

function followTheme(model, root) {
  const tell = () => {
    const dark = isDark(root);
    root.classList.toggle("df-dark", dark);
    if (model.get("is_dark") !== dark) {
      model.set("is_dark", dark);
      model.save_changes();
    }
  };
  const observer = new MutationObserver(() => setTimeout(tell, 200)); // after the style sheets
  observer.observe(document.body, { attributes: true });
  tell();
  return () => observer.disconnect();
}

function followWidth(model, root) {
  let timer;
  const observer = new ResizeObserver(([entry]) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const room = Math.floor(entry.contentRect.width / WIDTHS.step) * WIDTHS.step;
      const width = Math.min(Math.max(room, WIDTHS.least), WIDTHS.most);
      if (room > 0 && model.get("width") !== width) {
        model.set("width", width);
        model.save_changes();
      }
    }, 250);
  });
  observer.observe(root.querySelector(".df-drawn"));
  return () => observer.disconnect();
}

export default {
  render({ model, el }) {
    const ends = [keepKeys(el)];
    // The element is put into the page after this function.
    const begin = setInterval(() => {
      const root = el.closest(".dirframe-explorer");
      if (root?.querySelector(".df-drawn")) {
        clearInterval(begin);
        ends.push(followTheme(model, root), followWidth(model, root));
      }
    }, 50);
    ends.push(() => clearInterval(begin));
    return () => ends.forEach((end) => end());
  },
};
