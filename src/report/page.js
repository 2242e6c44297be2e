"use strict";
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((cell, i) => {
    const button = document.createElement("button");
    button.textContent = cell.textContent;
    cell.textContent = "";
    cell.append(button);
    button.addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = row => row.cells[i].dataset.sort ?? row.cells[i].textContent;
      const number = cell.classList.contains("n");
      const rows = [...body.rows].sort((x, y) => number
        ? (parseFloat(value(x)) || 0) - (parseFloat(value(y)) || 0) : value(x).localeCompare(value(y)));
      if (down) rows.reverse();
      body.append(...rows);
    });
  });
  if (body.rows.length < 12) continue;
  const input = document.createElement("input");
  input.className = "filter";
  input.type = "search";
  input.placeholder = "filter rows";
  input.setAttribute("aria-label", "filter rows of " + table.caption.textContent);
  table.parentElement.before(input);
  input.addEventListener("input", () => {
    const word = input.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(word);
  });
}
