"use strict";
(function () {
  /* Filters and keys. The page is complete without: this file shows the controls that need it. */
  var all = function (selector) { return Array.from(document.querySelectorAll(selector)); };
  var byId = function (id) { return document.getElementById(id); };
  var rows = all("details.row"), q = byId("q"), chapter = byId("ch"), result = byId("res");
  var verdicts = all("button[data-v]"), levels = all("button[data-l]");
  var text = new Map(rows.map(function (row) {
    return [row, (row.id + " " + row.querySelector(".st").textContent).toLowerCase()];
  }));
  all(".filter,.keys").forEach(function (control) { control.hidden = false; });

  function chosen(buttons, key) {
    return buttons.filter(function (b) { return b.getAttribute("aria-pressed") === "true"; })
      .map(function (b) { return b.dataset[key]; });
  }
  function press(button, on) { button.setAttribute("aria-pressed", String(on)); }
  function apply(silent) {
    var v = chosen(verdicts, "v"), l = chosen(levels, "l"), c = chapter.value, count = 0;
    var words = q.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach(function (row) {
      var shown = (!v.length || v.includes(row.dataset.v)) && (!l.length || l.includes(row.dataset.l)) &&
        (!c || row.dataset.c === c) && words.every(function (w) { return text.get(row).includes(w); });
      row.hidden = !shown;
      count += shown;
    });
    all(".grp").forEach(function (group) { group.hidden = !group.querySelector("details.row:not([hidden])"); });
    result.textContent = count === rows.length ? "All " + count + " rows" : count + " of " + rows.length + " rows";
    byId("none").hidden = count > 0;
    if (silent) { return; }
    var state = [];
    if (v.length) { state.push("v=" + v.join(",")); }
    if (l.length) { state.push("l=" + l.join(",")); }
    if (c) { state.push("c=" + encodeURIComponent(c)); }
    if (words.length) { state.push("q=" + encodeURIComponent(q.value.trim())); }
    history.replaceState(null, "", state.length ? "#" + state.join("&") : location.pathname + location.search);
  }
  function reset() {
    q.value = "";
    chapter.value = "";
    verdicts.concat(levels).forEach(function (b) { press(b, false); });
    apply(true);
  }
  function decoded(part) { try { return decodeURIComponent(part); } catch (error) { return part; } }
  function open(id) {
    var row = byId(id);
    if (!row || !row.matches("details.row")) { return; }
    if (row.hidden) { reset(); }
    row.open = true;
    row.scrollIntoView({block: "start"});
    row.querySelector("summary").focus({preventScroll: true});
  }
  function follow() { /* the address: "#EVICT-02" opens a row, "#v=fail,dev&l=MUST&c=EVICT&q=cap" filters */
    var hash = location.hash.slice(1);
    if (!hash.includes("=")) { apply(true); open(decoded(hash)); return; }
    var state = new Map(hash.split("&").map(function (pair) {
      var at = pair.indexOf("=");
      return [pair.slice(0, at), decoded(pair.slice(at + 1))];
    }));
    q.value = state.get("q") || "";
    chapter.value = state.get("c") || "";
    verdicts.forEach(function (b) { press(b, (state.get("v") || "").split(",").includes(b.dataset.v)); });
    levels.forEach(function (b) { press(b, (state.get("l") || "").split(",").includes(b.dataset.l)); });
    apply(true);
  }
  verdicts.concat(levels).forEach(function (b) {
    b.addEventListener("click", function () { press(b, b.getAttribute("aria-pressed") !== "true"); apply(); });
  });
  q.addEventListener("input", function () { apply(); });
  chapter.addEventListener("change", function () { apply(); });
  byId("reset").addEventListener("click", function () { reset(); apply(); q.focus(); });
  byId("all").addEventListener("click", function () {
    var shown = rows.filter(function (row) { return !row.hidden; });
    var opening = shown.some(function (row) { return !row.open; });
    shown.forEach(function (row) { row.open = opening; });
    this.textContent = opening ? "Close all" : "Open all";
  });
  /* Single keys act only while a row has the focus (WCAG 2.1.4). */
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) { return; }
    var shown = rows.filter(function (row) { return !row.hidden; });
    if (event.target === q) {
      if (event.key === "Escape") { q.value = ""; apply(); }
      if (event.key === "ArrowDown" && shown.length) { event.preventDefault(); shown[0].querySelector("summary").focus(); }
      return;
    }
    var summary = event.target.closest && event.target.closest("details.row>summary");
    if (!summary) { return; }
    var row = summary.parentNode, at = shown.indexOf(row), last = shown.length - 1;
    var moves = {ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: last};
    if (event.key in moves) { shown[Math.max(0, Math.min(last, moves[event.key]))].querySelector("summary").focus(); }
    else if (event.key === "ArrowRight") { row.open = true; }
    else if (event.key === "ArrowLeft") { row.open = false; }
    else if (event.key === "/") { q.focus(); q.select(); }
    else { return; }
    event.preventDefault();
  });
  /* Print opens what a reader must see on paper, and closes it again. */
  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = rows.filter(function (row) { return !row.open && ["fail", "upass", "inc", "dev"].includes(row.dataset.v); });
    opened.forEach(function (row) { row.open = true; });
  });
  window.addEventListener("afterprint", function () { opened.forEach(function (row) { row.open = false; }); });
  window.addEventListener("hashchange", follow);
  follow();
})();
