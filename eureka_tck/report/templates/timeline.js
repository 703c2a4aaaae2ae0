/* The timeline of a chaos run: panels for all nodes on one time axis, drawn from the page's data.
   A small kit first (steps, segments, scales), then the panels, the lanes, and what moves them.
   No dependency, no innerHTML, no inline style: texts are set as text, colours are classes. */
(function () {
  "use strict";
  var source = document.getElementById("data");
  if (!source) return;
  var D = JSON.parse(source.textContent), N = Object.keys(D.nodes), few = N.length <= 3;
  var svg = document.getElementById("tl"), lan = document.getElementById("lanes");
  var slider = document.getElementById("cur"), out = document.getElementById("curv");
  var dom = [D.began, D.end], cur = D.flags.length ? D.flags[0].at : D.bands.length ? D.bands[0].began : D.began;
  var geo = {}, view = {};
  document.querySelectorAll("[data-script]").forEach(function (e) { e.hidden = false; });
  document.querySelectorAll("[data-noscript]").forEach(function (e) { e.hidden = true; });

  /* kit */
  function el(parent, tag, at, text) {
    var e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (var k in at) e.setAttribute(k, at[k]);
    if (text !== undefined && text !== null) e.textContent = text;
    parent.appendChild(e);
    return e;
  }
  function tip(e, text) { el(e, "title", {}, text); return e; }
  function f1(x) { return x.toFixed(1); }
  function at(line, t) {
    var lo = 0, hi = line.length - 1, v = null;
    while (lo <= hi) { var m = (lo + hi) >> 1; if (line[m][0] <= t) { v = line[m][1]; lo = m + 1; } else hi = m - 1; }
    return v;
  }
  function steps(line, sx, sy) {
    var p = "", last = null;
    for (var i = 0; i < line.length && line[i][0] <= dom[1]; i++) {
      if (i + 1 < line.length && line[i + 1][0] < dom[0]) continue;
      var x = f1(sx(Math.max(line[i][0], dom[0]))), y = line[i][1] === null ? null : f1(sy(line[i][1]));
      if (last !== null) p += "L" + x + " " + last;
      if (y !== null) p += (last === null ? "M" : "L") + x + " " + y;
      last = y;
    }
    return p + (last === null ? "" : "L" + f1(sx(dom[1])) + " " + last);
  }
  function segs(line) {
    var found = [];
    line.forEach(function (p, i) {
      var b = i + 1 < line.length ? line[i + 1][0] : D.end;
      if (b > dom[0] && p[0] < dom[1]) found.push([Math.max(p[0], dom[0]), Math.min(b, dom[1]), p[1], p[0], b]);
    });
    return found;
  }
  function nice(span, n) {
    var r = span / n, p = Math.pow(10, Math.floor(Math.log10(r))), c = [1, 2, 5, 10];
    for (var i = 0; i < 4; i++) if (c[i] * p >= r) return c[i] * p;
    return 10 * p;
  }
  function most(lines) {
    var m = 1;
    lines.forEach(function (l) { l.forEach(function (p) { m = Math.max(m, p[1]); }); });
    return m;
  }
  function apart(xs, pace, right) {
    /* moves what stands too close to the right, and back to the left where the chart ends */
    var found = xs.slice(), before = -99, after = right + pace, i;
    for (i = 0; i < found.length; i++) if (found[i] !== null) before = found[i] = Math.max(found[i], before + pace);
    for (i = found.length - 1; i >= 0; i--) if (found[i] !== null) after = found[i] = Math.min(found[i], after - pace);
    return found;
  }
  function cls(i) { return few ? "abc".charAt(i) : "a"; }
  function inside(t) { return t >= dom[0] && t <= dom[1]; }

  function base(s, h) {
    while (s.firstChild) s.removeChild(s.firstChild);
    var w = Math.round(s.parentNode.clientWidth), narrow = w < 720, x0 = narrow ? 40 : 172, x1 = w - (narrow ? 44 : 128);
    s.setAttribute("viewBox", "0 0 " + w + " " + h);
    s.setAttribute("height", h);
    geo = { w: w, narrow: narrow, x0: x0, x1: x1, sx: function (t) { return x0 + (t - dom[0]) / (dom[1] - dom[0]) * (x1 - x0); } };
    var clip = el(el(s, "defs", {}), "clipPath", { id: s.id + "-clip" });
    el(clip, "rect", { x: x0, y: -40, width: x1 - x0, height: h + 80 });
    return geo;
  }
  function bands(s, y1, labelled) {
    var free = -1;
    D.bands.forEach(function (b) {
      var xa = geo.sx(Math.max(b.began, dom[0])), xb = geo.sx(Math.min(b.ended, dom[1]));
      if (xb <= xa) return;
      tip(el(s, "rect", { "class": "band", x: xa, y: 0, width: xb - xa, height: y1 }), b.said + ", " + f1(b.began) + " to " + f1(b.ended) + " s");
      if (inside(b.began)) el(s, "line", { "class": "edge", x1: xa, x2: xa, y1: 0, y2: y1 });
      if (inside(b.ended)) el(s, "line", { "class": "edge", x1: xb, x2: xb, y1: 0, y2: y1 });
      var full = b.said + ", " + Math.round(b.ended - b.began) + " s", room = geo.w - xa - 8;
      var text = full.length * 6.4 < room ? full : full.slice(0, Math.max(0, Math.floor(room / 6.4) - 1)) + "…";
      if (labelled && xa > free && room > 60) {
        el(s, "text", { "class": "tt", x: xa + 5, y: 13 }, text);
        free = xa + 12 + text.length * 6.4;
      }
    });
  }
  function axis(s, y) {
    el(s, "line", { "class": "axis", x1: geo.x0, x2: geo.x1, y1: y, y2: y });
    var st = nice(dom[1] - dom[0], geo.narrow ? 5 : 10);
    for (var t = Math.ceil(dom[0] / st) * st; t <= dom[1] + 1e-6; t += st) {
      var x = geo.sx(t);
      el(s, "line", { "class": "axis", x1: x, x2: x, y1: y, y2: y + 4 });
      el(s, "text", { "class": "tk", x: x, y: y + 16, "text-anchor": x > geo.x1 - 14 ? "end" : "middle" }, +t.toFixed(3) + (t + st > dom[1] + 1e-6 ? " s" : ""));
    }
  }

  /* panels */
  function draw() {
    var narrow = Math.round(svg.parentNode.clientWidth) < 720, gap = narrow ? 28 : 20;
    var flags = D.flags.filter(function (v) { return inside(v.at); }).length, room = svg.parentNode.clientWidth - (narrow ? 84 : 300);
    var rows = Math.max(1, Math.min(3, Math.ceil(flags * 19 / room))), pace = 19 / rows;
    var panels = [["note", 40], ["flag", 8 + 18 * rows], ["inst", few ? 112 : N.length * 46], ["ren", N.length * 58], ["prot", N.length * 17],
      ["evic", N.length * 29], ["lag", 84], ["link", D.links.length * 13], ["lat", 72]];
    var total = panels.reduce(function (s, p) { return s + p[1] + gap; }, 40), g = base(svg, total), y = 0, Y = {};
    panels.forEach(function (p, i) { if (i > 1) y += gap; Y[p[0]] = [y, p[1]]; y += p[1]; });
    var bottom = y + 6;
    svg.setAttribute("viewBox", "0 0 " + g.w + " " + (bottom + 26));
    svg.setAttribute("height", bottom + 26);
    bands(svg, bottom, true);
    var under = el(svg, "g", {}), clipped = el(svg, "g", { "clip-path": "url(#tl-clip)" }), values = [];
    function title(key, text, sub) {
      var p = Y[key];
      if (narrow) { el(svg, "text", { "class": "tt", x: 0, y: p[0] - 6 }, text); return; }
      el(svg, "text", { "class": "tt", x: 0, y: p[0] + 11 }, text);
      (sub || []).forEach(function (s, i) { el(svg, "text", { "class": "tk", x: 0, y: p[0] + 26 + i * 14 }, s); });
    }
    function rule(yy, label) {
      el(under, "line", { "class": "grid", x1: g.x0, x2: g.x1, y1: yy, y2: yy });
      if (label !== undefined) el(svg, "text", { "class": "tk", x: g.x0 - 6, y: yy + 4, "text-anchor": "end" }, label);
    }
    function value(yy, c, tell) { if (!narrow) values.push([el(svg, "text", { "class": c, x: g.x1 + 8, y: yy }), tell]); }
    function name(yy, i) { if (narrow) el(svg, "text", { "class": "f-" + cls(i), x: g.x1 + 8, y: yy }, N[i]); }
    function none(key, text) { el(svg, "text", { "class": "tk", x: g.x0 + 4, y: Y[key][0] + 11 }, text); }

    /* what clients did, and the phases */
    var ny = Y.note[0] + 28;
    if (!narrow) el(svg, "text", { "class": "tt", x: 0, y: ny + 4 }, "Faults and workload");
    D.notes.forEach(function (m) {
      if (!inside(m.at)) return;
      var x = g.sx(m.at), o = el(clipped, "g", {});
      if (m.kind === "cancel") el(o, "path", { "class": "ink", d: "M" + (x - 4) + " " + (ny - 4) + "h8l-4 8z" });
      else if (m.kind === "status") el(o, "path", { "class": "out", d: "M" + x + " " + (ny - 5) + "l5 5-5 5-5-5z" });
      else if (m.kind === "death") el(o, "path", { "class": "out", d: "M" + (x - 4) + " " + (ny - 4) + "l8 8m0-8l-8 8" });
      else el(o, "path", { "class": "out", d: "M" + x + " " + (ny - 7) + "v14" });
      tip(o, f1(m.at) + " s: " + m.said);
    });

    /* violations */
    var fy = Y.flag[0] + 12, places = apart(D.flags.map(function (v) { return inside(v.at) ? g.sx(v.at) : null; }), pace, g.x1 + 8);
    if (!narrow) el(svg, "text", { "class": "tt", x: 0, y: fy + 4 }, "Broken promises");
    if (!D.flags.length) none("flag", "none");
    D.flags.forEach(function (v, i) {
      if (!inside(v.at)) return;
      var x = g.sx(v.at), px = places[i], d = v.known ? " d" : "", low = fy + i % rows * 18;
      el(clipped, "line", { "class": "vio" + d, x1: x, x2: x, y1: fy + 18 * (rows - 1), y2: bottom });
      var o = el(svg, "g", { "class": "flag", role: "button", tabindex: "0", "aria-label": "Violation " + (i + 1) });
      if (px !== x) el(o, "path", { "class": "lead", d: "M" + x + " " + (fy + 18 * rows - 5) + "L" + px + " " + low });
      el(o, "rect", { x: px - 8.5, y: low - 8.5, width: 17, height: 17, rx: v.known ? 0 : 8.5, "class": v.known ? "known" : "bad" });
      el(o, "text", { x: px, y: low + 4, "text-anchor": "middle", "class": v.known ? "known" : "" }, String(i + 1));
      tip(o, (i + 1) + ", " + v.said);
      o.addEventListener("click", function () { pick(i); });
      o.addEventListener("keydown", function (e) { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pick(i); } });
    });

    /* registered instances */
    title("inst", "Registered instances", ["by node", "dotted: still alive"]);
    var top = most(N.map(function (n) { return D.nodes[n].instances; }).concat([D.alive])) * 1.08;
    var ip = Y.inst;
    N.forEach(function (n, i) {
      var y0 = few ? ip[0] : ip[0] + i * 46, h = few ? ip[1] : 40;
      var sy = function (v) { return y0 + h - v / top * h; };
      if (!i || !few) {
        rule(y0 + h, 0);
        var st = nice(top, few ? 4 : 2);
        for (var v = st; v < top; v += st) rule(sy(v), v);
        el(clipped, "path", { "class": "s-ref", d: steps(D.alive, g.sx, sy) });
      }
      el(clipped, "path", { "class": "s-" + cls(i), d: steps(D.nodes[n].instances, g.sx, sy) });
      if (few) { if (narrow) el(svg, "text", { "class": "f-" + cls(i), x: g.x1 + 8 + i * 11, y: sy(at(D.nodes[n].instances, dom[1]) || 0) + 4 }, n); }
      else name(y0 + 12, i);
      value(few ? y0 + 28 + i * 17 : y0 + 24, "f-" + cls(i), function (t) { var k = at(D.nodes[n].instances, t); return n + "  " + (k === null ? "no answer" : k); });
    });
    if (few) value(ip[0] + 11, "tk", function (t) { return "alive  " + (at(D.alive, t) || 0); });

    /* renewals and threshold */
    title("ren", "Renewals, last window", ["line: renewals", "dotted: threshold", "filled: at or below it"]);
    var high = most(N.map(function (n) { return D.nodes[n].renewals; }).concat(N.map(function (n) { return D.nodes[n].threshold; }))) * 1.08;
    N.forEach(function (n, i) {
      var y0 = Y.ren[0] + i * 58, h = 50, L = D.nodes[n], sy = function (v) { return y0 + h - v / high * h; };
      if (!L.renewals.length) { name(y0 + 10, i); el(svg, "text", { "class": "tk", x: g.x0 + 4, y: y0 + 28 }, n + ": no counters were read"); return; }
      rule(y0 + h, 0);
      var st = nice(high, 3);
      for (var v = st; v < high; v += st) rule(sy(v), sy(v) > y0 + 8 ? v : undefined);
      segs(L.renewals).forEach(function (s) {
        segs(L.threshold).forEach(function (q) {
          var a = Math.max(s[0], q[0]), b = Math.min(s[1], q[1]);
          if (b > a && s[2] <= q[2]) el(clipped, "rect", { "class": "gap", x: g.sx(a), width: g.sx(b) - g.sx(a), y: sy(q[2]), height: Math.max(3, sy(s[2]) - sy(q[2])) });
        });
      });
      el(clipped, "path", { "class": "s-ref", d: steps(L.threshold, g.sx, sy) });
      el(clipped, "path", { "class": "s-" + cls(i) + " whole", d: steps(L.renewals, g.sx, sy) });
      name(y0 + 10, i);
      value(y0 + h / 2 + 4, "f-" + cls(i), function (t) { var r = at(L.renewals, t), w = at(L.threshold, t); return n + "  " + (r === null ? "–" : r + (r > w ? " > " : " ≤ ") + w); });
    });

    /* protection */
    title("prot", "Self-preservation", ["filled: nothing expires"]);
    N.forEach(function (n, i) {
      var y0 = Y.prot[0] + i * 17, L = D.nodes[n].protected;
      el(under, "line", { "class": "hair", x1: g.x0, x2: g.x1, y1: y0 + 6, y2: y0 + 6 });
      segs(L).forEach(function (s) {
        if (s[2]) tip(el(clipped, "rect", { "class": "f-" + cls(i), x: g.sx(s[0]), width: g.sx(s[1]) - g.sx(s[0]), y: y0, height: 12 }), n + " protects itself, " + f1(s[3]) + " to " + f1(s[4]) + " s");
      });
      name(y0 + 10, i);
      value(y0 + 10, "f-" + cls(i), function (t) { var p = at(L, t); return n + "  " + (p === null ? "–" : p ? "on" : "off"); });
    });

    /* evictions */
    title("evic", "Evictions", ["bar: gone between", "two reads, uncancelled"]);
    var worst = most(N.map(function (n) { return D.nodes[n].evicted; }));
    N.forEach(function (n, i) {
      var y0 = Y.evic[0] + i * 29, h = 24, L = D.nodes[n].evicted;
      rule(y0 + h);
      rule(y0, worst);
      L.forEach(function (e) {
        if (inside(e[0])) tip(el(clipped, "rect", { "class": "f-" + cls(i), x: g.sx(e[0]) - 2.5, width: 5, y: y0 + h - e[1] / worst * h, height: e[1] / worst * h }), n + ": " + e[1] + " gone by " + f1(e[0]) + " s");
      });
      name(y0 + 20, i);
      value(y0 + 18, "f-" + cls(i), function (t) { var k = 0; L.forEach(function (e) { if (e[0] <= t) k += e[1]; }); return n + "  " + k + " so far"; });
    });

    /* replication delay */
    title("lag", "Replication delay", ["change to first read that", "shows it, log scale", "read every " + D.sampled_every + " s"]);
    var lp = Y.lag, slow = D.delays.reduce(function (m, d) { return Math.max(m, d.seconds); }, 1) * 1.3;
    var ly = function (v) { return lp[0] + lp[1] - (Math.log10(Math.max(v, .1)) + 1) / (Math.log10(slow) + 1) * lp[1]; };
    [.1, 1, 10, 100].forEach(function (v) { if (v <= slow) rule(ly(v), v + " s"); });
    D.delays.forEach(function (d) {
      if (inside(d.at)) tip(el(clipped, "circle", { "class": "dot", cx: f1(g.sx(d.at)), cy: f1(ly(d.seconds)), r: 2.2 }), d.link + " at " + f1(d.at) + " s: seen after " + d.seconds + " s");
    });
    if (!D.delays.length) none("lag", "no change was made");
    value(lp[0] + 11, "tk", function () { return "worst of 30 s"; });
    value(lp[0] + 28, "tt", function (t) {
      var m = 0;
      D.delays.forEach(function (d) { if (d.at <= t && d.at > t - 30) m = Math.max(m, d.seconds); });
      return m ? m.toFixed(1) + " s" : "no change";
    });

    /* links */
    title("link", "Links", ["thin: up", "thick: a fault was on it"]);
    D.links.forEach(function (l, i) {
      var y0 = Y.link[0] + i * 13, short = l.link.length > 12 ? l.link.slice(0, 11) + "…" : l.link;
      el(under, "rect", { "class": "up", x: g.x0, width: g.x1 - g.x0, y: y0 + 4, height: 2 });
      el(svg, "text", { "class": "tk", x: narrow ? g.x1 + 6 : g.x0 - 6, y: y0 + 9, "text-anchor": narrow ? "start" : "end" }, narrow ? l.link.slice(0, 6) : short);
      l.down.forEach(function (d) {
        var a = Math.max(d[0], dom[0]), b = Math.min(d[1], dom[1]);
        if (b > a) tip(el(clipped, "rect", { "class": "down", x: g.sx(a), width: g.sx(b) - g.sx(a), y: y0, height: 10 }), l.link + ", " + f1(d[0]) + " to " + f1(d[1]) + " s");
      });
      value(y0 + 9, "tk", function (t) { return l.down.some(function (d) { return t >= d[0] && t < d[1]; }) ? "faulty" : "up"; });
    });

    /* latency */
    title("lat", "Client latency", ["real ms, log scale", "solid p50, dashed p99"]);
    var tp = Y.lat, top99 = D.latency.reduce(function (m, l) { return Math.max(m, l.p99); }, 10) * 1.3;
    var ty = function (v) { return tp[0] + tp[1] - (Math.log10(Math.max(v, .1)) + 1) / (Math.log10(top99) + 1) * tp[1]; };
    [.1, 1, 10, 100, 1000, 10000].forEach(function (v) { if (v <= top99) rule(ty(v), v); });
    var p50 = D.latency.map(function (l) { return [l.at, l.p50]; }), p99 = D.latency.map(function (l) { return [l.at, l.p99]; });
    el(clipped, "path", { "class": "s-c", d: steps(p99, g.sx, ty) });
    el(clipped, "path", { "class": "s-ink", d: steps(p50, g.sx, ty) });
    value(tp[0] + tp[1] - 4, "tk", function (t) { var v = at(p50, t); return "p50  " + (v === null ? "–" : v + " ms"); });
    value(tp[0] + 14, "tk", function (t) { var v = at(p99, t); return "p99  " + (v === null ? "–" : v + " ms"); });

    axis(svg, bottom);
    view.tl = { line: el(svg, "line", { "class": "cur", y1: Y.flag[0] + Y.flag[1] - 2, y2: bottom }), values: values, sx: g.sx, x0: g.x0, x1: g.x1 };
    lanes();
    move(cur);
  }

  /* the instances that broke a promise */
  function lanes() {
    if (!lan) return;
    var narrow = Math.round(lan.parentNode.clientWidth) < 720, rh = 13, rows = 1 + N.length;
    var gh = rows * rh + (narrow ? 32 : 20), g = base(lan, D.lanes.length * gh + 34), bottom = D.lanes.length * gh + 6, values = [];
    bands(lan, bottom, false);
    var clipped = el(lan, "g", { "clip-path": "url(#lanes-clip)" });
    var pattern = el(el(lan, "defs", {}), "pattern", { id: "hatched", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    el(pattern, "rect", { width: 6, height: 6, "class": "on" });
    el(pattern, "line", { x1: 0, y1: 0, x2: 0, y2: 6, "class": "hatch" });
    D.lanes.forEach(function (L, i) {
      var y = i * gh + (narrow ? 22 : 8), id = L.instance.slice(L.instance.lastIndexOf("/") + 1), short = narrow ? L.instance.slice(0, 44) : id.length > 17 ? id.slice(0, 16) + "…" : id;
      if (i) el(lan, "line", { "class": "grid", x1: 0, x2: g.w, y1: i * gh + 1, y2: i * gh + 1 });
      tip(el(lan, "text", { "class": "tt", x: 0, y: narrow ? y - 6 : y + 10 }, short), L.instance);
      [["as told", L.told]].concat(N.map(function (n) { return [n, L.nodes[n]]; })).forEach(function (r, k) {
        var yy = y + k * rh, wrong = k ? L.wrong[r[0]] : null;
        el(lan, "text", { "class": k ? "f-" + cls(k - 1) : "tk", x: narrow ? g.x1 + 6 : g.x0 - 6, y: yy + 9, "text-anchor": narrow ? "start" : "end" }, narrow && !k ? "told" : r[0]);
        segs(r[1]).forEach(function (s) {
          var from = wrong ? Math.min(Math.max(wrong[0], s[0]), s[1]) : s[1], to = wrong ? Math.min(Math.max(wrong[1], from), s[1]) : s[1];
          [[s[0], from, 0], [from, to, 1], [to, s[1], 0]].forEach(function (q) {
            if (q[1] <= q[0]) return;
            var c = q[2] ? (L.known ? "warn" : "bad") : "on", said = L.instance + (k ? " at " + r[0] : " as its client told") + ": " + (s[2] || "absent") + ", " + f1(s[3]) + " to " + f1(s[4]) + " s";
            if (!s[2]) { el(clipped, "line", { "class": q[2] ? "lack" + (L.known ? " d" : "") : "hair", x1: g.sx(q[0]), x2: g.sx(q[1]), y1: yy + 5, y2: yy + 5 }); return; }
            var o = { "class": c, x: g.sx(q[0]), width: Math.max(.5, g.sx(q[1]) - g.sx(q[0])), y: yy + (q[2] ? -.5 : 1), height: q[2] ? 11 : 8 };
            if (!q[2] && s[2] !== "UP") { o.fill = "url(#hatched)"; o["class"] = ""; }
            tip(el(clipped, "rect", o), said);
          });
        });
        if (!narrow) values.push([el(lan, "text", { "class": "tk", x: g.x1 + 8, y: yy + 9 }), function (t) { var v = at(r[1], t); return v === null ? "not read" : v || "absent"; }]);
      });
    });
    axis(lan, bottom);
    view.lanes = { line: el(lan, "line", { "class": "cur", y1: 0, y2: bottom }), values: values, sx: g.sx };
  }

  /* what moves them */
  function move(t) {
    cur = Math.max(dom[0], Math.min(dom[1], t));
    slider.min = dom[0]; slider.max = dom[1]; slider.value = cur;
    out.textContent = f1(cur) + " s";
    var told = N.map(function (n, i) {
      var L = D.nodes[n], row = document.getElementById("read-" + i).children, r = at(L.renewals, cur), p = at(L.protected, cur);
      var said = [at(L.instances, cur), r === null ? null : r + " / " + at(L.threshold, cur), p === null ? null : p ? "on" : "off"];
      said.forEach(function (v, k) { row[k + 1].textContent = v === null ? "–" : v; });
      return "node " + n + ": " + said[0] + " instances, renewals and threshold " + said[1] + ", protection " + said[2];
    });
    slider.setAttribute("aria-valuetext", f1(cur) + " seconds. " + told.join("; "));
    ["tl", "lanes"].forEach(function (k) {
      var v = view[k];
      if (!v) return;
      var x = v.sx(cur);
      v.line.setAttribute("x1", x); v.line.setAttribute("x2", x);
      v.values.forEach(function (one) { one[0].textContent = one[1](cur); });
    });
  }
  function pick(i) {
    document.querySelectorAll("[data-flag]").forEach(function (b) { b.setAttribute("aria-pressed", String(+b.dataset.flag === i)); });
    document.querySelectorAll("[data-around]").forEach(function (r) { r.hidden = +r.dataset.around !== i; });
    var flag = D.flags[i];
    if (!flag) return;
    if (!inside(flag.at)) zoom(D.began, D.end);
    move(flag.at);
  }
  function zoom(a, b) {
    dom = [a, b];
    document.querySelectorAll("[data-from]").forEach(function (z) { z.setAttribute("aria-pressed", String(+z.dataset.from === a && +z.dataset.to === b)); });
    draw();
  }
  document.querySelectorAll("[data-from]").forEach(function (z) { z.addEventListener("click", function () { zoom(+z.dataset.from, +z.dataset.to); }); });
  document.querySelectorAll("[data-flag]").forEach(function (b) { b.addEventListener("click", function () { pick(+b.dataset.flag); }); });
  slider.addEventListener("input", function () { move(+slider.value); });
  [svg, lan].forEach(function (s) {
    if (!s) return;
    function follow(e) {
      var x = e.clientX - s.getBoundingClientRect().left, k = view.tl;
      if (k && x >= k.x0 && x <= k.x1) move(dom[0] + (x - k.x0) / (k.x1 - k.x0) * (dom[1] - dom[0]));
    }
    s.addEventListener("pointermove", function (e) { if (e.pointerType === "mouse") follow(e); });
    s.addEventListener("pointerdown", follow);
  });
  var width = svg.parentNode.clientWidth;
  new ResizeObserver(function () {
    if (svg.parentNode.clientWidth !== width) { width = svg.parentNode.clientWidth; draw(); }
  }).observe(svg.parentNode);
  draw();
  pick(0);
})();
