/* Sorting, filtering and downloading tables, and the menu on small screens. Pages are complete without it. */
"use strict";

(function () {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function key(row, column, numeric) {
    const raw = row.cells[column].dataset.sort;
    if (raw === "") return null;
    return numeric ? Number(raw) : row.cells[column].textContent;
  }

  /* Rows without a value stay at the end whichever way the others go; equal rows keep their first order. */
  function comparer(column, numeric, direction) {
    return function (a, b) {
      const left = key(a.row, column, numeric), right = key(b.row, column, numeric);
      if (left === null || right === null) {
        return (left === null) - (right === null) || a.at - b.at;
      }
      const order = numeric ? left - right : collator.compare(left, right);
      return order * direction || a.at - b.at;
    };
  }

  function save(name, text) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function setUp(block) {
    const table = block.querySelector("table"), body = table.tBodies[0];
    const entries = Array.from(body.rows, (row, at) => ({ row, at, text: row.textContent.toLowerCase() }));
    const heads = Array.from(table.tHead.rows[0].cells);
    const limit = Number(block.dataset.rows);
    const filter = block.querySelector("input[type=search]");
    const status = block.querySelector(".rows"), all = block.querySelector(".show-all");
    const collapsible = entries.length > limit;
    let order = entries, open = false;

    function show() {
      const words = filter ? filter.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
      const matching = order.filter((entry) => words.every((word) => entry.text.includes(word)));
      const cut = open || words.length || !collapsible ? matching.length : limit;
      const visible = new Set(matching.slice(0, cut));
      for (const entry of entries) entry.row.hidden = !visible.has(entry);
      const total = entries.length.toLocaleString("en");
      status.textContent = visible.size === entries.length
        ? total + (entries.length === 1 ? " row" : " rows")
        : visible.size.toLocaleString("en") + " of " + total + " rows";
      all.hidden = !collapsible || words.length > 0;
      all.textContent = open ? "Show fewer" : "Show all " + total;
      all.setAttribute("aria-expanded", String(open));
      block.classList.toggle("tall", visible.size > limit);
    }

    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      const numeric = head.dataset.kind === "number";
      button.addEventListener("click", () => {
        const steps = numeric ? ["descending", "ascending", "none"] : ["ascending", "descending", "none"];
        const next = steps[(steps.indexOf(head.getAttribute("aria-sort")) + 1) % 3];
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", next);
        order = entries.slice();
        if (next !== "none") order.sort(comparer(column, numeric, next === "ascending" ? 1 : -1));
        body.append(...order.map((entry) => entry.row));
        show();
      });
    });

    const download = block.querySelector("[download], [data-download]");
    download.addEventListener("click", (event) => {
      event.preventDefault();
      save(download.download || download.dataset.download, JSON.parse(block.querySelector("script.csv").textContent));
    });
    if (filter) filter.addEventListener("input", show);
    all.addEventListener("click", () => { open = !open; show(); });
    block.querySelector(".tools").hidden = false;
    show();
  }

  function setUpMenu() {
    const button = document.querySelector(".menu"), nav = document.getElementById("nav");
    function set(open) {
      nav.classList.toggle("open", open);
      button.setAttribute("aria-expanded", String(open));
    }
    button.addEventListener("click", () => set(button.getAttribute("aria-expanded") !== "true"));
    nav.addEventListener("click", (event) => { if (event.target.closest("a")) set(false); });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && nav.classList.contains("open")) { set(false); button.focus(); }
    });
  }

  function setUpCode(button) {
    button.closest(".tools").hidden = false;
    button.addEventListener("click", () => {
      const hide = document.body.classList.toggle("no-code");
      button.setAttribute("aria-pressed", String(hide));
      button.textContent = hide ? "Show code" : "Hide code";
    });
  }

  document.querySelectorAll("section.table").forEach(setUp);
  document.querySelectorAll("[data-toggle-code]").forEach(setUpCode);
  setUpMenu();
})();
