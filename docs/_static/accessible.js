// What the theme, Sphinx and pandas leave unsaid to those who listen to a page or use the keyboard.
addEventListener("DOMContentLoaded", () => {
  const each = (selector, act) => document.querySelectorAll(selector).forEach(act);
  each("aside.sidebar-drawer", (part) => part.setAttribute("aria-label", "All pages"));
  each("aside.toc-drawer", (part) => part.setAttribute("aria-label", "This page"));
  each(".caption[role=heading]", (part) => part.setAttribute("aria-level", "2"));
  each("table.dataframe th:empty", (part) => part.replaceWith(document.createElement("td")));
  if (!document.querySelector("h1"))  // the page of the search
    document.querySelector("article")?.insertAdjacentHTML("afterbegin", "<h1>Search</h1>");
  // On a narrow screen each row of a wide table is a block: its cells then name their columns.
  each(".content table.docutils:not(.dataframe)", (table) => {
    const columns = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
    if (columns.length < 4) return;
    table.classList.add("wide");
    table.querySelectorAll("td code .pre").forEach((name) => {
      name.replaceChildren(...name.textContent.split(/(?<=_)/).flatMap((part) => [document.createElement("wbr"), part]));
    });
    table.querySelectorAll("tbody tr").forEach((row) =>
      [...row.cells].forEach((cell, index) => { if (cell.textContent.trim()) cell.dataset.column = columns[index]; }));
  });
  each("pre, .cell_output, .table-wrapper, .content table", (part) => {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  });
});
