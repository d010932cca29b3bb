"use strict";
// The curves of the chosen runs, whose logs are read on every second.

gfncp.curves = { logs: new Map(), charts: {}, faults: new Map() };

// follow begins to read the logs of the chosen runs; those of others are forgotten.
gfncp.follow = () => {
  const { logs, faults } = gfncp.curves, { chosen } = gfncp.board;
  for (const id of logs.keys()) if (!chosen.includes(id)) logs.delete(id);
  for (const id of chosen) if (!logs.has(id)) logs.set(id, gfncp.emptyLog());
  faults.clear();
  gfncp.drawCurves();
};

gfncp.emptyLog = () => ({ steps: [], valid: [], bytes: 0, lines: 0 });

// look asks for the state and for what the logs have brought, again and again.
gfncp.look = async () => {
  const live = gfncp.$("live");
  try {
    const answer = await fetch("state");
    gfncp.takeState(await answer.json());
    for (const run of gfncp.board.state.runs) if (gfncp.curves.logs.has(run.id)) await gfncp.readLog(run);
    live.textContent = "live";
    live.className = "live";
  } catch {
    live.textContent = "The board has stopped, or cannot be reached; what is shown is the last that came.";
    live.className = "live lost";
  }
  setTimeout(gfncp.look, gfncp.every);
};
gfncp.every = 1000; // milliseconds

// readLog reads on in a run's log, whole lines alone. A log that was cut is read anew.
gfncp.readLog = async run => {
  const { logs, faults } = gfncp.curves;
  if (run.bytes < logs.get(run.id).bytes) logs.set(run.id, gfncp.emptyLog());
  const log = logs.get(run.id);
  if (run.bytes === log.bytes) return;
  const answer = await fetch("log/" + run.id, { headers: { Range: "bytes=" + log.bytes + "-" } });
  if (!answer.ok) {
    faults.set(run.id, (await answer.json()).error);
    gfncp.drawCurves();
    return;
  }
  const bytes = new Uint8Array(await answer.arrayBuffer()), whole = bytes.lastIndexOf(10) + 1;
  if (!whole || logs.get(run.id) !== log) return; // another choice came first
  log.bytes += whole;
  for (const text of new TextDecoder().decode(bytes.subarray(0, whole)).split("\n").slice(0, -1)) {
    log.lines++;
    gfncp.takeLine(run.id, log, text);
  }
  gfncp.drawCurves();
};

// takeLine reads a line of a log: a step, or a validation, which has no "kind".
gfncp.takeLine = (id, log, text) => {
  let line = null;
  try {
    line = JSON.parse(text);
  } catch { /* told below */ }
  if (!(line?.step >= 0)) {
    gfncp.curves.faults.set(id, "line " + log.lines + " is no line of a run's log; it is passed over");
    return;
  }
  (line.kind ? log.steps : log.valid).push(line);
};

{
  const fields = (logs, part, first) => {
    const names = new Set();
    for (const log of logs) for (const line of log[part].slice(-40)) for (const name of Object.keys(line)) names.add(name);
    for (const name of ["step", "kind", "best"]) names.delete(name);
    return [...names].sort((a, b) => (b === first) - (a === first) || a.localeCompare(b));
  };

  // menu offers the numbers that the logs have, and keeps what was chosen, also while logs are still to come.
  const menu = (id, names, first) => {
    const select = gfncp.$(id), now = select.value;
    if (!names.length) return now || first;
    if ([...select.options].map(o => o.value).join() !== names.join()) {
      select.replaceChildren(...names.map(name => gfncp.make("option", { value: name }, name.replaceAll("_", " "))));
    }
    select.value = names.includes(now) ? now : names[0] || first;
    return select.value || first;
  };

  const dataset = (id, at, part, field, log) => ({
    label: gfncp.board.state.runs.find(run => run.id === id)?.name || id,
    data: log[part].filter(line => Math.abs(line[field]) < Number.MAX_VALUE).map(line => ({ x: line.step, y: line[field] })),
    borderColor: gfncp.lineColour(at), backgroundColor: gfncp.lineColour(at), borderWidth: 1.6,
    pointRadius: part === "valid" ? 3 : 0, pointHitRadius: 8, pointHoverRadius: 5,
  });

  const chart = (id, datasets, field, logarithmic) => {
    const kept = gfncp.curves.charts[id];
    const y = {
      type: logarithmic ? "logarithmic" : "linear", title: { display: true, text: field.replaceAll("_", " ") },
      ticks: { maxTicksLimit: 8 }, grid: { color: gfncp.color("rule") },
    };
    if (kept && kept.options.scales.y.type === y.type) {
      kept.data.datasets = datasets;
      kept.options.scales.y.title.text = y.title.text;
      kept.update("none");
      return;
    }
    kept?.destroy();
    gfncp.curves.charts[id] = new Chart(gfncp.$(id), {
      type: "line",
      data: { datasets },
      options: {
        parsing: false,
        interaction: { mode: "nearest", axis: "x", intersect: false },
        plugins: {
          decimation: { enabled: true, algorithm: "min-max" },
          tooltip: { enabled: true, callbacks: { title: items => "step " + items[0]?.parsed.x } },
        },
        scales: {
          x: { type: "linear", title: { display: true, text: "step" }, ticks: { maxRotation: 0 }, grid: { color: gfncp.color("rule") } },
          y,
        },
      },
    });
  };

  const table = () => {
    const { chosen, state } = gfncp.board, { logs } = gfncp.curves;
    const names = ["step", "loss", "grad_norm", "learning_rate", "seconds", "validation_loss", "nmi"];
    const rows = chosen.map((id, at) => {
      const log = logs.get(id), last = { ...log.valid.at(-1), ...log.steps.at(-1) };
      const swatch = gfncp.make("span", { class: "swatch" });
      swatch.style.background = gfncp.lineColour(at);
      const name = state.runs.find(run => run.id === id)?.name || id;
      return gfncp.make("tr", {}, gfncp.make("td", {}, swatch, name),
        ...names.map(key => gfncp.make("td", { class: "number" }, typeof last[key] === "number" ? gfncp.short(last[key]) : "")));
    });
    gfncp.$("last").replaceChildren(
      gfncp.make("thead", {}, gfncp.make("tr", {}, gfncp.make("th", { scope: "col" }, "run"),
        ...names.map(key => gfncp.make("th", { scope: "col", class: "number" }, key.replaceAll("_", " "))))),
      gfncp.make("tbody", {}, ...rows));
    gfncp.$("faults").replaceChildren(...[...gfncp.curves.faults.values()].map(text => gfncp.make("li", {}, text)));
  };

  let waits = false;
  gfncp.drawCurves = () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      const { chosen } = gfncp.board, logs = chosen.map(id => gfncp.curves.logs.get(id));
      const step = menu("step-field", fields(logs, "steps", "loss"), "loss");
      const valid = menu("valid-field", fields(logs, "valid", "validation_loss"), "validation_loss");
      chart("step-chart", chosen.map((id, at) => dataset(id, at, "steps", step, logs[at])), step, gfncp.$("step-log").checked);
      chart("valid-chart", chosen.map((id, at) => dataset(id, at, "valid", valid, logs[at])), valid, false);
      table();
    });
  };

  // forget lets all charts be made again, in another theme.
  gfncp.forgetCurves = () => {
    for (const one of Object.values(gfncp.curves.charts)) one.destroy();
    gfncp.curves.charts = {};
  };
  for (const id of ["step-field", "step-log", "valid-field"]) gfncp.$(id).addEventListener("change", () => gfncp.drawCurves());
}
