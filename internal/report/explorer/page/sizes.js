"use strict";
// P(K), before and after, as bars with a line; below each bar a button, so that keys reach it. And the clusters.

{
  const d = gfncp.data, buttons = gfncp.$("size-buttons");
  const prior = new Map((d.prior || []).map(q => [q.k, q.p]));
  const posterior = new Map(d.posterior.map(q => [q.k, q.p]));

  // The bars: every K between the least and the most that are not negligible, and one beside them.
  const shown = d.posterior.filter(q => q.p >= 0.002).map(q => q.k).concat(d.k);
  const low = Math.max(1, Math.min(...shown) - 1), high = Math.min(Math.max(...shown) + 1, low + 39);
  const ks = Array.from({ length: high - low + 1 }, (_, i) => low + i);

  // best is the place of the most probable clustering with K clusters, −1 if none was drawn.
  gfncp.best = k => d.clusterings.findIndex((c, at) => c.k === k && (at > 0 || d.clusterings.length === 1));

  const go = k => {
    const at = gfncp.best(k);
    if (at < 0) return gfncp.say("no clustering with " + k + " clusters was drawn");
    gfncp.show(at);
    return gfncp.say("the best clustering with " + k + " clusters, number " + at);
  };

  let chart = null;
  const bars = () => chart.data.datasets[chart.data.datasets.length - 1];
  gfncp.sizes = { ks, get chart() { return chart; } };

  // mark shows which K the clustering has that is shown.
  const mark = () => {
    const now = gfncp.shown().k;
    bars().backgroundColor = ks.map(k => gfncp.color(k === now ? "accent" : "soft"));
    chart.update("none");
    [...buttons.children].forEach((button, i) => button.setAttribute("aria-pressed", ks[i] === now));
  };

  // draw makes the chart again, after a change of theme or width.
  gfncp.sizes.draw = () => {
    chart?.destroy();
    const line = {
      type: "line", data: ks.map(k => prior.get(k) || 0), borderColor: gfncp.color("ink"), borderWidth: 1.5,
      borderDash: [4, 3], pointRadius: 2, pointBackgroundColor: gfncp.color("ink"),
    };
    const bar = { data: ks.map(k => posterior.get(k) || 0), barPercentage: 0.95, categoryPercentage: 0.9 };
    chart = new Chart(gfncp.$("sizes"), {
      type: "bar",
      data: { labels: ks, datasets: [...(d.prior ? [line] : []), bar] },
      options: {
        events: ["click"],
        onClick: event => {
          const at = chart.scales.x.getValueForPixel(event.x);
          if (ks[at] !== undefined) go(ks[at]);
        },
        scales: {
          x: { display: false }, // the buttons are its labels
          y: { beginAtZero: true, ticks: { maxTicksLimit: 5 }, title: { display: true, text: "probability" } },
        },
      },
    });
    const { left, right } = chart.chartArea;
    buttons.style.marginLeft = left + "px";
    buttons.style.width = right - left + "px";
    mark();
  };

  buttons.style.gridTemplateColumns = "repeat(" + ks.length + ", minmax(0, 1fr))";
  buttons.append(...ks.map(k => {
    const words = "K = " + k + ": probability " + gfncp.probability(posterior.get(k) || 0) +
      (d.prior ? ", before any point " + gfncp.probability(prior.get(k) || 0) : "");
    return gfncp.make("button", {
      "aria-label": words + (gfncp.best(k) < 0 ? ", none was drawn" : ""), title: words, disabled: gfncp.best(k) < 0,
      onclick: () => go(k),
    }, String(k));
  }));
  gfncp.$("prior-words").hidden = !d.prior;
  gfncp.when("clustering", mark);
}

// picture draws a cluster's glyph on a small canvas.
gfncp.picture = k => {
  const canvas = gfncp.make("canvas", { width: 40, height: 40, "aria-hidden": "true" }), { colour, shape } = gfncp.glyph(k);
  const c = canvas.getContext("2d");
  c.fillStyle = c.strokeStyle = colour;
  c.lineWidth = 2;
  Chart.helpers.drawPoint(c, { pointStyle: shape, radius: 12, borderWidth: 2 }, 20, 20);
  return canvas;
};

gfncp.listClusters = () => {
  const d = gfncp.data, { labels } = gfncp.shown(), members = new Map(), mostThumbs = 40;
  gfncp.$("clusters").classList.toggle("images", Boolean(d.sprite));
  for (let i = 0; i < d.n; i++) {
    if (labels[i] < 0) continue;
    if (!members.has(labels[i])) members.set(labels[i], []);
    members.get(labels[i]).push(i);
  }
  const rows = [...members].sort((a, b) => a[0] - b[0]);
  gfncp.$("clusters").replaceChildren(...rows.map(([k, points]) => {
    const sure = points.reduce((sum, i) => sum + d.probability[i], 0) / points.length;
    const note = gfncp.state.at === 0 && d.drawn ? ", mean " + gfncp.probability(sure) : "";
    return gfncp.make("li", {}, gfncp.make("button", { onclick: () => gfncp.select(points) },
      gfncp.picture(k), k < d.k ? String(k) : "new", gfncp.make("small", {}, points.length + note)),
    ...(d.sprite ? points.slice(0, mostThumbs).map(i => gfncp.thumb(i, 28)) : []));
  }));
};
gfncp.when("clustering", gfncp.listClusters);
