"use strict";
// The points as a scatter plot of Chart.js: a dataset for each cluster's sure and unsure points, one for what changes,
// one for what is selected. Datasets share their options among their points, which keeps 20,000 fluid.

// columns are what can be an axis: principal components and the columns, texts as numbered categories.
gfncp.columns = (() => {
  const d = gfncp.data, list = [];
  if (d.plane) {
    for (const j of [0, 1]) {
      list.push({
        name: ["first", "second"][j] + " principal component",
        values: Float64Array.from({ length: d.n }, (_, i) => d.plane[2 * i + j]),
      });
    }
  }
  const missing = new Set(["", "na", "n/a", "#n/a", "nan", "null", "?"]);
  d.heads.forEach((name, j) => {
    const cells = d.cells[j], gap = cells.map(cell => missing.has(cell.trim().toLowerCase()));
    const values = Float64Array.from(cells, (cell, i) => gap[i] ? NaN : Number(cell));
    if (values.every((v, i) => gap[i] || Number.isFinite(v))) return list.push({ name, values });
    const levels = [...new Set(cells.filter((_, i) => !gap[i]))].sort();
    if (levels.length > 40) return 0; // names, not categories
    // Points of one category lie beside each other, in a fixed pattern.
    const spread = i => ((i * 0.6180339887) % 1 - 0.5) * 0.5;
    return list.push({
      name, levels, values: Float64Array.from(cells, (cell, i) => gap[i] ? NaN : levels.indexOf(cell) + spread(i)),
    });
  });
  return list;
})();

gfncp.axes = { x: gfncp.columns[0], y: gfncp.columns[Math.min(1, gfncp.columns.length - 1)] };

// radius of a point, in CSS pixels.
gfncp.radius = gfncp.data.n <= 400 ? 5 : gfncp.data.n <= 2500 ? 3.5 : gfncp.data.n <= 8000 ? 2.5 : 2;

// datasets sorts the points of the shown clustering into what Chart.js draws.
gfncp.datasets = () => {
  const d = gfncp.data, { labels } = gfncp.shown(), r = gfncp.radius, sets = new Map();
  const { x, y } = gfncp.axes, few = d.n <= 8000;
  const add = (key, order, make, i) => {
    if (!sets.has(key)) sets.set(key, { data: [], order, hoverRadius: 0, ...make() });
    sets.get(key).data.push({ x: x.values[i], y: y.values[i] });
  };
  for (let i = 0; i < d.n; i++) {
    if (Number.isNaN(x.values[i]) || Number.isNaN(y.values[i])) continue;
    const outside = labels[i] < 0, k = outside ? d.labels[i] : labels[i];
    const sure = outside || d.probability[i] >= d.uncertain || gfncp.state.at > 0;
    add(k + (sure ? "" : "?") + (outside ? "!" : ""), outside ? 5 : sure ? 4 : 3, () => {
      const { colour, shape } = gfncp.glyph(k);
      const fill = outside ? colour + "38" : sure ? colour + (few ? "D8" : "FF") : colour + "40";
      return {
        pointStyle: shape, radius: (sure ? r : r * 1.25) * (shape === "circle" ? 1 : 1.25), backgroundColor: fill,
        borderColor: colour, borderWidth: sure ? 0 : Math.max(1.2, r * 0.35),
      };
    }, i);
    if (gfncp.hasChanged(i)) {
      add("changed", 2, () => ({
        pointStyle: "rectRot", radius: r * 2.4, backgroundColor: "transparent", borderColor: gfncp.color("mark"),
        borderWidth: 2,
      }), i);
    }
    if (gfncp.state.selected.has(i)) {
      add("selected", 1, () => ({
        pointStyle: "circle", radius: r * 2.9, backgroundColor: "transparent", borderColor: gfncp.color("ink"),
        borderWidth: 1.5,
      }), i);
    }
  }
  return [...sets.values()];
};

// range is what an axis spans so that all the given values lie inside.
gfncp.range = values => {
  const known = Array.from(values).filter(v => !Number.isNaN(v));
  if (!known.length) return { min: 0, max: 1 };
  const low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b));
  const room = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
  return { min: low - room, max: high + room };
};

// axisOptions are Chart.js's for the column on an axis.
gfncp.axisOptions = column => ({
  type: "linear", ...gfncp.range(column.values),
  title: { display: true, text: column.name, color: gfncp.color("ink") },
  grid: { color: gfncp.color("rule") },
  ticks: column.levels
    ? { stepSize: 1, includeBounds: false, callback: v => column.levels[v] ?? "" }
    : { maxRotation: 0, maxTicksLimit: 8, includeBounds: false },
});

gfncp.plot = {
  chart: null,

  // draw makes the chart, or makes it again after a change of theme or axes.
  draw() {
    gfncp.theme();
    gfncp.plot.chart?.destroy();
    gfncp.plot.chart = new Chart(gfncp.$("points"), {
      type: "scatter",
      data: { datasets: gfncp.datasets() },
      options: {
        parsing: false, events: [],
        layout: { padding: 6 },
        scales: { x: gfncp.axisOptions(gfncp.axes.x), y: gfncp.axisOptions(gfncp.axes.y) },
      },
    });
    gfncp.changed("pointed");
  },

  // renew shows other points in the axes that are there.
  renew() {
    gfncp.plot.chart.data.datasets = gfncp.datasets();
    gfncp.plot.chart.update("none");
  },

  // pixel is where a point is drawn, from the canvas' corner in CSS pixels, or null.
  pixel(i) {
    const { x, y } = gfncp.plot.chart.scales, a = gfncp.axes.x.values[i], b = gfncp.axes.y.values[i];
    return Number.isNaN(a) || Number.isNaN(b) ? null : { x: x.getPixelForValue(a), y: y.getPixelForValue(b) };
  },

  // near is the point nearest to a place, within so many pixels, or −1.
  near(px, py, within = 24) {
    let best = -1, least = within * within;
    for (let i = 0; i < gfncp.data.n; i++) {
      const at = gfncp.plot.pixel(i);
      if (!at) continue;
      const far = (at.x - px) ** 2 + (at.y - py) ** 2;
      if (far < least) { least = far; best = i; }
    }
    return best;
  },

  // inside lists the points within a frame of pixels.
  inside(left, top, right, bottom) {
    const list = [];
    for (let i = 0; i < gfncp.data.n; i++) {
      const at = gfncp.plot.pixel(i);
      if (at && at.x >= left && at.x <= right && at.y >= top && at.y <= bottom) list.push(i);
    }
    return list;
  },

  // zoom shows where the given points are, or all without points.
  zoom(points) {
    for (const axis of ["x", "y"]) {
      const { values } = gfncp.axes[axis];
      Object.assign(gfncp.plot.chart.options.scales[axis], gfncp.range(points.length ? points.map(i => values[i]) : values));
    }
    gfncp.plot.chart.update("none");
    gfncp.$("whole").disabled = !points.length;
    gfncp.changed("pointed");
  },
};
