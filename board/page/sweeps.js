"use strict";
// A sweep as parallel coordinates: an axis for each thing that varies and each metric, a line for each setting.

{
  const $ = gfncp.$;
  let view = null, axes = [], chart = null, here = -1, asked = "";

  // axes lists what stands side by side: each with the place of a setting in 0 … 1, and words for its ends or places.
  const axesOf = v => {
    const axes = v.axes.map((axis, j) => {
      const numbers = axis.numbers?.length ? axis.numbers : null, last = Math.max(1, axis.labels.length - 1);
      const low = numbers && Math.min(...numbers), high = numbers && Math.max(...numbers);
      const place = at => numbers && high > low ? (numbers[at] - low) / (high - low) : at / last;
      return {
        name: axis.name, of: set => place(set.at[j]),
        marks: axis.labels.slice(0, 12).map((label, at) => ({ at: place(at), text: label })),
      };
    });
    v.metrics.forEach((name, m) => {
      const known = v.settings.map(set => set.values[m]).filter(value => value !== null);
      const low = Math.min(...known), high = Math.max(...known);
      axes.push({
        name, metric: m,
        of: set => set.values[m] === null ? null : high > low ? (set.values[m] - low) / (high - low) : 0.5,
        marks: known.length ? [{ at: high > low ? 0 : 0.5, text: gfncp.short(low) }, { at: 1, text: gfncp.short(high) }]
          .slice(0, high > low ? 2 : 1) : [],
      });
    });
    return axes;
  };

  // labels writes the marks of the axes beside them.
  const labels = {
    id: "labels",
    afterDatasetsDraw(drawn) {
      const { ctx, scales: { x, y } } = drawn;
      ctx.save();
      ctx.font = "12px " + Chart.defaults.font.family;
      axes.forEach((axis, j) => {
        const end = j === axes.length - 1, side = x.getPixelForValue(j) + (end ? -6 : 6);
        ctx.textAlign = end ? "right" : "left";
        ctx.textBaseline = "middle";
        for (const mark of axis.marks) {
          const words = mark.text.length > 18 ? mark.text.slice(0, 17) + "…" : mark.text;
          ctx.lineWidth = 4;
          ctx.strokeStyle = gfncp.color("card");
          ctx.strokeText(words, side, y.getPixelForValue(mark.at));
          ctx.fillStyle = gfncp.color("ink");
          ctx.fillText(words, side, y.getPixelForValue(mark.at));
        }
      });
      ctx.restore();
    },
  };

  // blend is a colour between two, by share.
  const blend = share => gfncp.dark.matches
    ? "rgb(" + [60, 86, 110].map((v, i) => Math.round(v + ([245, 230, 110][i] - v) * share)) + ")"
    : "rgb(" + [168, 200, 222].map((v, i) => Math.round(v + ([0, 50, 110][i] - v) * share)) + ")";

  const datasets = () => {
    const by = axes.find(axis => axis.name === $("sweep-color").value);
    return view.settings.map((set, i) => {
      const share = by ? by.of(set) : null, on = i === here;
      const colour = on ? gfncp.color("mark") : share === null ? gfncp.color("rule") : blend(share);
      return {
        data: axes.map(axis => axis.of(set)), borderColor: colour, backgroundColor: colour, borderWidth: on ? 4 : 1.8,
        pointRadius: on ? 4 : 2, order: on ? 0 : 1, spanGaps: false, pointHitRadius: 10,
      };
    });
  };

  const draw = () => {
    axes = axesOf(view);
    gfncp.theme();
    chart?.destroy();
    chart = new Chart($("sweep-chart"), {
      type: "line", plugins: [labels],
      data: { labels: axes.map(axis => axis.name), datasets: datasets() },
      options: {
        interaction: { mode: "nearest", intersect: false },
        layout: { padding: { top: 14, right: 10 } },
        onHover: (_, items) => { if (items.length) point(items[0].datasetIndex); },
        scales: {
          x: { ticks: { color: gfncp.color("ink"), maxRotation: 30 }, grid: { color: gfncp.color("dim") } },
          y: { display: false, min: -0.04, max: 1.04 },
        },
      },
    });
  };

  // point marks a setting in the picture and in the table.
  const point = i => {
    if (i === here) return;
    here = i;
    chart.data.datasets = datasets();
    chart.update("none");
    for (const row of $("sweep-table").querySelectorAll("tbody tr")) row.classList.toggle("here", Number(row.dataset.at) === i);
  };
  gfncp.sweepView = () => ({ view, chart, here });

  const cell = (text, number) => gfncp.make("td", { class: number ? "number" : "" }, text);
  const table = () => {
    const m = Math.max(0, view.metrics.indexOf(view.metric));
    const order = view.settings.map((_, i) => i).sort((a, b) => {
      const [p, q] = [view.settings[a].values[m], view.settings[b].values[m]];
      return (q === null) - (p === null) ? (p === null) - (q === null) : q - p || a - b;
    });
    const heads = [...view.axes.map(axis => axis.name), ...view.metrics, ""];
    $("sweep-table").replaceChildren(
      gfncp.make("thead", {}, gfncp.make("tr", {}, ...heads.map(head => gfncp.make("th", { scope: "col" }, head)))),
      gfncp.make("tbody", {}, ...order.map(i => {
        const set = view.settings[i];
        return gfncp.make("tr", { tabindex: "0", "data-at": i, onpointerenter: () => point(i), onfocus: () => point(i) },
          ...view.axes.map((axis, j) => cell(axis.labels[set.at[j]])),
          ...set.values.map(value => cell(value === null ? "" : gfncp.short(value), true)), cell(set.note));
      })));
    $("job-table").replaceChildren(gfncp.make("tbody", {}, ...view.jobs.map(job => gfncp.make("tr", {},
      gfncp.make("td", {}, job.name), gfncp.make("td", { class: "status " + job.status }, job.status),
      gfncp.make("td", {}, (job.error || "").split("\n")[0])))));
  };

  // load reads the chosen sweep again when its jobs have changed.
  gfncp.loadSweep = async () => {
    const sweep = gfncp.board.state.sweeps.find(one => one.id === $("sweep").value);
    if (!sweep || gfncp.$("sweeps").hidden) return;
    const key = JSON.stringify(sweep) + gfncp.dark.matches;
    if (key === asked) return;
    asked = key;
    const words = [sweep.scale,
      ...Object.entries(sweep.count).map(([status, n]) => n + " " + status)].filter(word => word).join(" · ");
    try {
      const answer = await fetch("sweep/" + sweep.id), body = await answer.json();
      if (!answer.ok) throw new Error(body.error);
      view = body;
      here = -1;
      $("sweep-words").textContent = (view.title ? view.title + ". " : "") + (view.question || "") + " (" + words + ")";
      const names = [...view.metrics, ...view.axes.map(axis => axis.name)], now = $("sweep-color").value;
      $("sweep-color").replaceChildren(...names.map(name => gfncp.make("option", { value: name }, name)));
      $("sweep-color").value = names.includes(now) ? now : view.metric || names[0] || "";
      $("sweep-box").hidden = !view.settings.length;
      if (view.settings.length) draw();
      table();
    } catch (fault) {
      asked = "";
      $("sweep-words").textContent = "This sweep cannot be shown: " + fault.message;
    }
  };

  gfncp.listSweeps = () => {
    const { sweeps } = gfncp.board.state, select = $("sweep"), now = select.value;
    $("sweeps-count").textContent = sweeps.length || "";
    const ids = sweeps.map(one => one.id).join();
    if ([...select.options].map(o => o.value).join() !== ids) {
      select.replaceChildren(...sweeps.map(one => gfncp.make("option", { value: one.id }, one.name + (one.scale ? " (" + one.scale + ")" : ""))));
      if (sweeps.some(one => one.id === now)) select.value = now;
    }
    if (!sweeps.length) $("sweep-words").textContent = "There are no sweeps in the folders that the board looks through.";
    $("sweep-box").hidden = !sweeps.length;
    gfncp.loadSweep();
  };
  for (const id of ["sweep", "sweep-color"]) {
    $(id).addEventListener("change", () => { if (id === "sweep") gfncp.loadSweep(); else if (view) draw(); });
  }
}
