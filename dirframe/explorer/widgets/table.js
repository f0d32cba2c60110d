export default {
  render({ model, el }) {
    const draw = () => {
      const focused = el.contains(document.activeElement) && document.activeElement.dataset.column;
      const left = el.querySelector(".df-scroll")?.scrollLeft ?? 0;
      el.innerHTML = model.get("value"); // escaped in Python
      el.querySelector(".df-scroll")?.scrollTo(left, 0);
      if (focused) {
        el.querySelector(`[data-column="${CSS.escape(focused)}"]`)?.focus();
      }
    };
    const click = ({ target }) => {
      const button = target.closest("button[data-column]");
      if (button) {
        model.send({ column: button.dataset.column });
      } else if (!target.closest("a")) {
        target.closest("td")?.classList.toggle("df-whole");
      }
    };
    model.on("change:value", draw);
    el.addEventListener("click", click);
    draw();
    return () => model.off("change:value", draw);
  },
};
