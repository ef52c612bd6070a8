/* SPDX-License-Identifier: BSD-3-Clause */
/* The charts of a campaign's page; report.js draws them. */
"use strict";
window.moreCharts = function (kit) {
  /* A colour for each class of nodes; each for a light and a dark page. */
  const CLASSES = {
    ok: ["#4f9f7a", "#4fae84"], slow: ["#e08a00", "#f0b755"],
    hot: ["#d3552f", "#f5855f"], wrong: ["#b3261e", "#ff6b60"],
    died: ["#7c3aa5", "#c58bea"], hung: ["#2f62c9", "#7ea6ff"],
    "not started": ["#28313d", "#e7ecf3"], unknown: ["#8793a1", "#8793a1"],
  };
  const LINES = { most: ["#8fb8f2", "#3d5f94"], median: ["#1f5fc4", "#7db0ff"],
    least: ["#d3552f", "#f07f5a"] };
  const colour = (name) => kit.pick(CLASSES[name] || CLASSES.unknown);
  const percent = (x) => kit.digits(100 * x, 3) + " %";

  function tip(formatter) {
    return Object.assign(kit.base().tooltip, { trigger: "item", formatter });
  }

  function percents(name, more) {
    return kit.axis("value", name, Object.assign({ nameGap: 46, scale: true,
      axisLabel: { color: kit.inks().soft, formatter: percent },
      axisLine: { show: false } }, more));
  }

  /* ---- a point for each node ---- */

  function point(nodes, api, radius) {
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    const low = api.coord([api.value(0), api.value(2)])[1];
    const high = api.coord([api.value(0), api.value(3)])[1];
    const klass = nodes.classes[api.value(0)], fill = colour(klass);
    return { type: "group", children: [
      { type: "line", shape: { x1: x, y1: low, x2: x, y2: high },
        style: { stroke: fill, lineWidth: 1, opacity: 0.45 } },
      { type: "circle", shape: { cx: x, cy: y,
        r: klass === "ok" ? radius : Math.max(radius, 4) }, style: { fill } },
    ] };
  }

  function limitLine(nodes) {
    if (nodes.limit === null) return [];
    return [{ name: "slow", type: "line", symbol: "none", silent: true, z: 1,
      lineStyle: { color: colour("slow"), type: "dashed", width: 1.5 },
      data: [[-0.5, nodes.limit], [nodes.names.length - 0.5, nodes.limit]] }];
  }

  function ranked(nodes) {
    const count = nodes.names.length;
    const radius = count > 1000 ? 1.8 : count > 200 ? 2.5 : count > 40 ? 3.5 : 5;
    return kit.base({
      legend: { show: false },
      grid: { left: 66, right: 16, top: 16, bottom: 48 },
      xAxis: kit.axis("value", "nodes, slowest first", { min: -0.5, max: count - 0.5,
        splitLine: { show: false }, axisLabel: { show: false },
        axisLine: { onZero: false, lineStyle: { color: kit.inks().line } } }),
      yAxis: percents(nodes.label, { nameGap: 50 }),
      tooltip: tip((item) => {
        const i = item.data[0], [middle, least, most] = nodes.values[i];
        return `<b>${kit.safe(nodes.names[i])}</b>: ${kit.safe(nodes.classes[i])}<br>` +
          `${percent(middle)}, from ${percent(least)} to ${percent(most)}`;
      }),
      series: [...limitLine(nodes), {
        name: "nodes", type: "custom", progressive: 0, clip: true, z: 2,
        encode: { x: 0, y: [1, 2, 3] },
        data: nodes.values.map((value, i) => [i, ...value]),
        renderItem: (params, api) => point(nodes, api, radius),
      }],
    });
  }

  /* ---- how many nodes have which rate ---- */

  function histogram(found) {
    const names = found.from.map((low) => low < found.lowest ? "less" :
      kit.digits(100 * low, 4) + " %");
    return kit.base({
      xAxis: kit.axis("category", "rate, of the median of its kind", { data: names }),
      yAxis: kit.axis("value", "nodes", { nameGap: 42, minInterval: 1 }),
      tooltip: Object.assign(kit.base().tooltip,
        { axisPointer: { type: "shadow" } }),
      series: Object.keys(found.counts).map((name) => ({
        name, type: "bar", stack: "nodes", barCategoryGap: "8%",
        itemStyle: { color: colour(name) }, data: found.counts[name],
      })),
    });
  }

  /* ---- the matrix of pairs ---- */

  /* From red, half of the median and less, over the card's grey to blue. */
  function heat(part) {
    const dark = kit.isDark();
    const ends = part < 1 ? (dark ? [255, 107, 96] : [190, 38, 30])
      : (dark ? [110, 160, 255] : [60, 110, 210]);
    const middle = dark ? [58, 74, 92] : [205, 217, 230];
    const x = Math.min(1, part < 1 ? (1 - part) / 0.4 : (part - 1) / 0.4);
    return "rgb(" + middle.map((from, i) =>
      Math.round(from + x * (ends[i] - from))).join() + ")";
  }

  function square(api, size) {
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    return { type: "rect", style: { fill: heat(api.value(2)) },
      shape: { x: x - size[0] / 2, y: y - size[1] / 2, width: Math.max(1, size[0] - 1),
        height: Math.max(1, size[1] - 1) } };
  }

  function frame(outcome, api, size) {
    const [x, y] = api.coord([api.value(0), api.value(1)]), half = size[0] / 2 - 2;
    return { type: "rect", style: { fill: "none", stroke: colour(outcome), lineWidth: 2 },
      shape: { x: x - half, y: y - size[1] / 2 + 2, width: 2 * half,
        height: size[1] - 4 } };
  }

  function matrix(pairs, element) {
    const names = pairs.names, small = kit.narrow(element);
    const left = small ? 70 : 20 + Math.min(150, 8 * Math.max(...names.map((n) => n.length)));
    const cell = Math.max(9, Math.min(34, (element.clientWidth - left - 20) / names.length));
    const width = Math.min(element.clientWidth - 12, left + 12 + cell * names.length);
    element.style.height = 24 + left + cell * names.length + "px";
    const labels = { color: kit.inks().ink, overflow: "truncate", width: left - 14,
      interval: names.length <= 32 ? 0 : "auto", hideOverlap: true, fontSize: 11 };
    const twice = (cells) => cells.flatMap(([i, j, x]) => [[i, j, x], [j, i, x]]);
    const failed = twice(pairs.failed);
    return kit.base({
      legend: { show: false },
      grid: { left, top: 12, width: width - left, height: cell * names.length },
      xAxis: kit.axis("category", "", { data: names, axisLabel:
        Object.assign({ rotate: 90 }, labels) }),
      yAxis: kit.axis("category", "", { data: names, inverse: true, axisLabel: labels }),
      tooltip: tip((item) => `<b>${kit.safe(names[item.data[0]])}</b> with <b>` +
        `${kit.safe(names[item.data[1]])}</b><br>` + (item.seriesName === "failed" ?
        kit.safe(failed[item.dataIndex][2]) : percent(item.data[2]) + " of the median")),
      series: [{
        name: "pairs", type: "custom", progressive: 0, data: twice(pairs.cells),
        encode: { x: 0, y: 1 },
        renderItem: (params, api) => square(api, api.size([1, 1])),
      }, {
        name: "failed", type: "custom", progressive: 0, encode: { x: 0, y: 1 },
        data: failed.map(([i, j]) => [i, j]),
        renderItem: (params, api) => frame(failed[params.dataIndex][2], api,
          api.size([1, 1])),
      }],
    });
  }

  /* ---- earlier campaigns ---- */

  function history(found) {
    return kit.base({
      xAxis: kit.axis("category", "", { data: found.names }),
      yAxis: kit.axis("value", "Gflop/s", { nameGap: 50, scale: true }),
      grid: { left: 70, right: 20, top: 44, bottom: 36 },
      tooltip: Object.assign(kit.base().tooltip,
        { valueFormatter: (x) => x === null ? "–" : kit.digits(x, 4) + " Gflop/s" }),
      series: Object.keys(found.series).map((name) => ({
        name: { most: "fastest", median: "median", least: "slowest" }[name],
        type: "line", symbolSize: 8, symbol: "circle", data: found.series[name],
        color: kit.pick(LINES[name]), lineStyle: { width: 2 },
      })),
    });
  }

  return { ranked, histogram, matrix, history };
};
