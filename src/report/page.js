"use strict";
/* Sorting and filtering of tables, comparison of any two sources. Without this script everything can be read. */
function sortBy(body, i, isNumber, isDown) {
  const text = row => row.cells[i].dataset.sort ?? row.cells[i].textContent;
  const keyed = [...body.rows].map(row => [isNumber ? parseFloat(text(row)) : text(row), row]);
  const missing = key => isNumber && Number.isNaN(key);
  keyed.sort(([x], [y]) => {
    if (missing(x) || missing(y)) return missing(x) - missing(y);
    const order = isNumber ? x - y : x.localeCompare(y, undefined, { numeric: true });
    return isDown ? -order : order;
  });
  body.append(...keyed.map(pair => pair[1]));
}
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0], head = [...table.tHead.rows[0].cells];
  head.forEach((cell, i) => {
    const button = document.createElement("button");
    button.textContent = cell.textContent;
    cell.replaceChildren(button);
    button.addEventListener("click", () => {
      const isDown = cell.getAttribute("aria-sort") === "ascending";
      for (const other of head) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      sortBy(body, i, cell.classList.contains("n"), isDown);
    });
  });
  if (body.rows.length < 12) continue;
  const input = document.createElement("input"), count = document.createElement("span");
  input.className = "filter";
  input.type = "search";
  input.placeholder = "filter rows";
  input.setAttribute("aria-label", "filter rows of: " + table.caption.textContent);
  count.className = "dim";
  count.setAttribute("role", "status");
  table.parentElement.before(input, " ", count);
  let texts = null;
  input.addEventListener("input", () => {
    texts ??= new Map([...body.rows].map(row => [row, row.textContent.toLowerCase()]));
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of texts) {
      row.hidden = !words.every(word => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = words.length ? `${shown} of ${texts.size} rows` : "";
  });
}
/* Longest common subsequence of lines, as src/report/diff.c. */
function edits(x, y) {
  const w = y.length + 1, t = new Uint16Array((x.length + 1) * w), out = [];
  for (let i = x.length - 1; i >= 0; i--)
    for (let k = y.length - 1; k >= 0; k--)
      t[i * w + k] = x[i] === y[k] ? t[(i + 1) * w + k + 1] + 1 : Math.max(t[(i + 1) * w + k], t[i * w + k + 1]);
  for (let i = 0, k = 0; i < x.length || k < y.length;) {
    if (i < x.length && k < y.length && x[i] === y[k]) { out.push([" ", x[i++]]); k++; }
    else if (i < x.length && (k === y.length || t[(i + 1) * w + k] >= t[i * w + k + 1])) out.push(["-", x[i++]]);
    else out.push(["+", y[k++]]);
  }
  return out;
}
function showDifference(into, from, to) {
  const lines = id => document.getElementById(id).textContent.replace(/\n$/, "").split("\n");
  const x = lines(from), y = lines(to);
  into.replaceChildren();
  if (x.length > 4000 || y.length > 4000) { into.textContent = `Not compared: ${x.length} and ${y.length} lines.`; return; }
  for (const [sign, line] of edits(x, y)) {
    const span = document.createElement("span");
    span.className = sign === "+" ? "add" : sign === "-" ? "del" : "";
    span.textContent = sign + line;
    into.append(span);
  }
}
const sources = [...document.querySelectorAll("details.source pre")];
if (sources.length > 1) {
  const pick = (name, i) => {
    const select = document.createElement("select");
    select.id = name;
    select.setAttribute("aria-label", name === "from" ? "older version" : "newer version");
    for (const pre of sources) select.add(new Option(pre.id.slice(7), pre.id));
    select.selectedIndex = i;
    select.addEventListener("change", show);
    return select;
  };
  const into = document.createElement("pre"), from = pick("from", 0), to = pick("to", sources.length - 1);
  const fold = document.createElement("details"), title = document.createElement("summary");
  into.className = "diff";
  into.id = "difference";
  title.textContent = "Any two versions";
  function show() { showDifference(into, from.value, to.value); }
  fold.append(title, "from ", from, " to ", to, into);
  fold.addEventListener("toggle", () => { if (fold.open) show(); });
  document.getElementById("compare").append(fold);
}
