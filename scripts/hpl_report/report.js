/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws every element with data-chart from the data of the page. */
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const charts = new Map(); /* element -> chart */
  const family = getComputedStyle(document.body).fontFamily;
  let printing = false;

  const INKS = {
    light: { ink: "#17202c", soft: "#566273", line: "#dde3ea", card: "#ffffff" },
    dark: { ink: "#e7ecf3", soft: "#9dabbd", line: "#2c3644", card: "#181f29" },
  };
  /* By how names begin; each for a light and a dark page. */
  const COLOURS = [
    ["update", "#3f74d1", "#6f9ff0"], ["gemm", "#3f74d1", "#6f9ff0"],
    ["panel", "#d3552f", "#f07f5a"], ["swap", "#e2982a", "#f2b155"],
    ["solve", "#239a74", "#4cc79d"], ["broadcast", "#a552a0", "#cf86ca"],
    ["exchange", "#b8a016", "#dcc84a"], ["copy", "#7b6a58", "#b09c86"],
    ["wait", "#a7b1bd", "#5d6a7a"], ["other", "#d5dbe2", "#3a4554"],
  ];
  const OTHERS = [["#5b4fb8", "#9a90ee"], ["#2391a6", "#5bc4d8"],
    ["#a23f6b", "#e07fab"], ["#6d8f2f", "#a5c866"]];
  const WAITS = [["#a7b1bd", "#5d6a7a"], ["#8793a1", "#74828f"],
    ["#c3cad2", "#485463"]];
  const MODES = {
    0: ["nothing overlaps", "#7a8594", "#9dabbd"],
    1: ["the next panel overlaps", "#e2982a", "#f2b155"],
    2: ["panel and rows overlap", "#3f74d1", "#6f9ff0"],
  };

  const isDark = () => dark.matches && !printing;
  const inks = () => INKS[isDark() ? "dark" : "light"];
  const pick = (pair) => pair[isDark() ? 1 : 0];
  const narrow = (element) => element.clientWidth < 560;

  /* A colour for each name; names that nobody knows get spare ones. */
  function coloursOf(names) {
    let spare = 0, waits = 0;
    return names.map((name) => {
      if (name.startsWith("wait")) return pick(WAITS[waits++ % WAITS.length]);
      const known = COLOURS.find((row) => name.startsWith(row[0]));
      return pick(known ? known.slice(1) : OTHERS[spare++ % OTHERS.length]);
    });
  }

  function digits(x, count) {
    if (x === 0) return "0";
    const text = Number(x.toPrecision(count || 3));
    return Math.abs(text) >= 1e6 ? text.toExponential() : String(text);
  }
  function seconds(s) {
    if (s === 0) return "0";
    if (s < 1e-3) return digits(1e6 * s) + " µs";
    return s < 1 ? digits(1e3 * s) + " ms" : digits(s) + " s";
  }
  const words = (name) => name.replace(/_/g, " ");

  /* ---- what charts share ---- */

  function axis(type, name, more) {
    const ink = inks();
    return Object.assign({
      type, name, nameLocation: "middle", nameGap: 32,
      nameTextStyle: { color: ink.soft, fontSize: 12 },
      axisLabel: { color: ink.soft, hideOverlap: true },
      axisLine: { lineStyle: { color: ink.line } },
      axisTick: { show: false },
      splitLine: { show: type === "value", lineStyle: { color: ink.line } },
    }, more);
  }

  function base(more) {
    const ink = inks();
    return Object.assign({
      animation: false,
      aria: { enabled: false }, /* the page has texts of its own */
      textStyle: { color: ink.ink, fontFamily: family },
      grid: { left: 58, right: 16, top: 44, bottom: 48 },
      legend: legend(),
      tooltip: {
        trigger: "axis", confine: true, backgroundColor: ink.card,
        borderColor: ink.line, textStyle: { color: ink.ink, fontSize: 13 },
        axisPointer: { type: "line", lineStyle: { color: ink.soft } },
      },
    }, more);
  }

  function legend(more) {
    const ink = inks();
    return Object.assign({
      type: "scroll", top: 4, left: 0, itemWidth: 14, itemHeight: 10,
      textStyle: { color: ink.ink }, pageTextStyle: { color: ink.soft },
      pageIconColor: ink.ink, pageIconInactiveColor: ink.line,
    }, more);
  }

  const labelOf = (point) => point.first === point.last
    ? String(point.first) : point.first + "–" + point.last;

  /* Text in a tooltip, whatever a name is made of. */
  function safe(text) {
    const element = document.createElement("i");
    element.textContent = text;
    return element.innerHTML;
  }

  /* ---- the kinds of charts: each turns its data into an option ---- */

  function rate(profile) {
    const points = profile.points, ink = inks();
    const modes = [...new Set(points.map((p) => p.mode))].sort();
    const line = {
      name: "rate", type: "line", symbol: "none", silent: true, z: 1,
      lineStyle: { color: ink.soft, width: 1, opacity: 0.6 },
      data: points.map((p) => p.gflops), tooltip: { show: false },
    };
    const dots = modes.map((mode) => {
      const [name, ...pair] = MODES[mode] || ["iterations", ...OTHERS[0]];
      return {
        name: mode === null || !MODES[mode] ? name : "look-ahead: " + name,
        type: "line", showAllSymbol: true, symbol: "circle", z: 2,
        symbolSize: points.length > 80 ? 5 : 7, lineStyle: { opacity: 0 },
        itemStyle: { color: pick(pair) },
        data: points.map((p) => (p.mode === mode ? p.gflops : null)),
      };
    });
    return base({
      legend: legend({ data: dots.map((series) => series.name) }),
      xAxis: axis("category", "iteration", { data: points.map(labelOf) }),
      yAxis: axis("value", "Gflop/s of process 0", { nameGap: 42, min: 0 }),
      tooltip: Object.assign(base().tooltip, {
        formatter: (all) => {
          const p = points[all[0].dataIndex];
          return `iteration ${safe(labelOf(p))}<br><b>${digits(p.gflops)} Gflop/s</b>` +
            `<br>${seconds(p.seconds)}` + (p.columns === null ? "" :
              `<br>${safe(p.columns)} columns left here`);
        },
      }),
      series: [line, ...dots],
    });
  }

  function phases(profile) {
    const points = profile.points, colours = coloursOf(profile.phases);
    const most = Math.max(...points.map((p) => p.seconds));
    const milli = most < 1, scale = milli ? 1e3 : 1;
    return base({
      xAxis: axis("category", "iteration", { data: points.map(labelOf) }),
      yAxis: axis("value", milli ? "ms" : "s", { nameGap: 42 }),
      tooltip: Object.assign(base().tooltip, {
        valueFormatter: (x) => seconds(x / scale),
        axisPointer: { type: "shadow" },
      }),
      series: profile.phases.map((name, i) => ({
        name: words(name), type: "bar", stack: "time", barCategoryGap: "12%",
        barMaxWidth: 26, itemStyle: { color: colours[i] },
        emphasis: { focus: "series" },
        data: points.map((p) => scale * (p.phases[name] || 0)),
      })),
    });
  }

  /* Lines from 0 to 1 over iterations. */
  function parts(found) {
    return base({
      xAxis: axis("category", "iteration", { data: found.iterations.map(
        ([first, last]) => labelOf({ first, last })) }),
      yAxis: axis("value", "part", { nameGap: 42, min: 0, max: 1 }),
      tooltip: Object.assign(base().tooltip, {
        valueFormatter: (x) => (x === null ? "" : digits(100 * x) + " %") }),
      series: found.lines.map((line, i) => ({
        name: line.name, type: "line", symbolSize: 4, data: line.parts,
        color: pick(COLOURS[(2 * i + 1) % 8].slice(1)),
      })),
    });
  }

  /* Of a box to whole pixels, so that boxes that touch leave no seam; thinner
     ones than a pixel stay as they are, to look as long as they took. */
  function snapped(from, to) {
    const pixels = window.devicePixelRatio || 1;
    if ((to - from) * pixels < 1) return [from, to - from];
    const left = Math.round(from * pixels);
    return [left / pixels, (Math.round(to * pixels) - left) / pixels];
  }

  /* Boxes are [row, name, begin, end, bottom, top]; time in seconds. */
  function timeline(line, element) {
    const colours = coloursOf(line.names), height = 0.84;
    const end = Math.max(...line.boxes.map((box) => box[3]));
    const milli = end < 1, scale = milli ? 1e3 : 1;
    element.style.height = 118 + line.rows.length *
      Math.max(22, Math.min(64, 260 / line.rows.length)) + "px";
    const wide = Math.max(...line.rows.map((name) => name.length));
    return base({
      grid: { left: narrow(element) ? 12 : 16 + Math.min(170, 7 * wide),
        right: 18, top: 44, bottom: 48 },
      xAxis: axis("value", milli ? "ms" : "s", { min: 0, max: scale * end,
        axisLabel: { color: inks().soft, hideOverlap: true,
          showMaxLabel: false, formatter: (x) => digits(x, 4) } }),
      yAxis: axis("category", "", {
        data: line.rows, inverse: true,
        axisLabel: { color: inks().ink, width: 165, overflow: "truncate",
          inside: narrow(element), show: !narrow(element) },
      }),
      tooltip: Object.assign(base().tooltip, {
        trigger: "item", formatter: (item) => {
          const box = item.data;
          return `${safe(line.rows[box[0]])}<br><b>${safe(item.seriesName)}</b><br>` +
            `${seconds(box[2])} to ${seconds(box[3])}`;
        },
      }),
      series: line.names.map((name, number) => ({
        name: words(name), type: "custom", itemStyle: { color: colours[number] },
        data: line.boxes.filter((box) => box[1] === number),
        encode: { x: [2, 3], y: 0 }, clip: true, progressive: 0,
        renderItem: (params, api) => {
          const from = api.coord([scale * api.value(2), api.value(0)]);
          const to = api.coord([scale * api.value(3), api.value(0)]);
          const [x, width] = snapped(from[0], to[0]);
          const full = height * api.size([0, 1])[1], bottom = from[1] + full / 2;
          return {
            type: "rect", style: { fill: colours[number] },
            shape: {
              x, width, y: bottom - full * api.value(5),
              height: full * (api.value(5) - api.value(4)),
            },
          };
        },
      })),
    });
  }

  /* Rows from top to bottom, in horizontal bars. */
  function across(element, names, label, series, more) {
    const small = narrow(element), top = more.legend ? 12 : 44;
    const wraps = small && names.some((name) => name.length > 16);
    element.style.height =
      top + 66 + (wraps ? 48 : 28) * Math.max(2, names.length) + "px";
    return base(Object.assign({
      grid: { left: small ? 110 : 230, right: 58, top, bottom: 48 },
      xAxis: axis("value", label, { min: 0 }),
      yAxis: axis("category", "", {
        data: names, inverse: true,
        axisLabel: { color: inks().ink, width: small ? 98 : 215,
          lineHeight: 14, overflow: wraps ? "break" : "truncate" },
      }),
      series,
    }, more));
  }

  function work(found, element) {
    const colours = coloursOf(found.names);
    return across(element, found.rows, "s", found.names.map((name, i) => ({
      name: words(name), type: "bar", stack: "work", barMaxWidth: 20,
      itemStyle: { color: colours[i] }, data: found.seconds[i],
    })), { tooltip: Object.assign(base().tooltip, {
      valueFormatter: seconds, axisPointer: { type: "shadow" } }) });
  }

  function bars(tests, element) {
    const colour = (test) => pick(test.passed ? COLOURS[0].slice(1)
      : WAITS[0]);
    return across(element, tests.map((test) => test.name), "Gflop/s", [{
      name: "rate", type: "bar", barMaxWidth: 20,
      label: { show: true, position: "right", color: inks().ink,
        formatter: (item) => digits(item.value) },
      data: tests.map((test) => ({
        value: test.gflops, itemStyle: { color: colour(test) },
      })),
    }], {
      legend: { show: false },
      tooltip: Object.assign(base().tooltip, {
        valueFormatter: (x) => digits(x, 5) + " Gflop/s",
        axisPointer: { type: "shadow" },
      }),
    });
  }

  function curves(runs) {
    const colours = [COLOURS[0], COLOURS[2], COLOURS[4], COLOURS[5], COLOURS[3]]
      .map((row) => row.slice(1)).concat(OTHERS);
    return base({
      xAxis: axis("value", "part of the iterations done", {
        min: 0, max: 1, axisLabel: { color: inks().soft,
          formatter: (x) => Math.round(100 * x) + " %" } }),
      yAxis: axis("value", "Gflop/s", { nameGap: 42, min: 0 }),
      tooltip: Object.assign(base().tooltip, {
        valueFormatter: (x) => digits(x) + " Gflop/s" }),
      series: runs.map((run, i) => ({
        name: run.name, type: "line", showSymbol: false,
        color: pick(colours[i]), lineStyle: { width: 2 }, data: run.points,
      })),
    });
  }

  /* Charts of another page that is made with this script. */
  const more = window.moreCharts ? window.moreCharts({ base, axis, legend, inks, pick,
    narrow, digits, seconds, safe, isDark }) : {};
  const KINDS = Object.assign({ rate, phases, parts, timeline, work, bars, curves }, more);
  /* More boxes than SVG likes. */
  const OF_MANY = new Set(["timeline", "ranked", "matrix"]);

  /* ---- the page ---- */

  function draw(element) {
    if (element.closest("details.run:not([open])")) return; /* folded away */
    const option = KINDS[element.dataset.chart](data[element.dataset.key], element);
    let chart = charts.get(element);
    if (!chart) {
      const renderer = OF_MANY.has(element.dataset.chart) ? "canvas" : "svg";
      chart = window.echarts.init(element, null, { renderer });
      charts.set(element, chart);
    }
    chart.resize();
    chart.setOption(option, { notMerge: true });
  }

  function drawAll() {
    document.querySelectorAll("[data-chart]").forEach(draw);
  }

  let pending = 0;
  function later() {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(drawAll);
  }

  function forPrint(on) {
    printing = on;
    if (on)
      document.querySelectorAll("details.run").forEach((run) => { run.open = true; });
    drawAll();
  }

  async function copy(button) {
    const block = document.getElementById(button.dataset.copy);
    const told = button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(block.textContent);
      told.textContent = "Copied.";
    } catch (error) { /* not allowed here: leave it selected */
      getSelection().selectAllChildren(block);
      told.textContent = document.execCommand("copy") ? "Copied."
        : "Selected: press Ctrl+C.";
    }
  }

  drawAll();
  dark.addEventListener("change", drawAll);
  window.addEventListener("resize", later);
  window.addEventListener("beforeprint", () => forPrint(true));
  window.addEventListener("afterprint", () => forPrint(false));
  document.querySelectorAll("details.run").forEach((run) =>
    run.addEventListener("toggle", later));
  document.querySelectorAll("[data-copy]").forEach((button) =>
    button.addEventListener("click", () => copy(button)));
})();
