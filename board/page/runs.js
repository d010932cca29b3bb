"use strict";
// The list of runs: which there are, how far they have come, which are drawn.

gfncp.board = { state: { runs: [], notes: [] }, chosen: [], touched: false };

// ago says how long ago a time was.
gfncp.ago = seconds => {
  const s = Math.max(0, Date.now() / 1000 - seconds);
  if (s < 90) return "now";
  for (const [unit, length] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (s >= length) return gfncp.count(Math.floor(s / length), unit) + " ago";
  }
  return "now";
};

// lineColours are Okabe and Ito's, lighter or darker where the page is.
gfncp.lineColour = at => (gfncp.dark.matches
  ? ["#56B4E9", "#E69F00", "#2BC79A", "#E58CC0", "#F0E442", "#FF7F3F", "#FFFFFF", "#9DB8FF"]
  : ["#0072B2", "#D55E00", "#00805E", "#B0508A", "#8A7A00", "#2A93CC", "#000000", "#5A4FCF"])[at % 8];

gfncp.runStatus = { running: "running", quiet: "no news", finished: "finished" };

// chooseRuns follows these runs.
gfncp.chooseRuns = ids => {
  gfncp.board.chosen = ids.slice(-8);
  gfncp.follow();
  gfncp.listRuns();
};

gfncp.listRuns = () => {
  const { state, chosen } = gfncp.board, list = gfncp.$("run-list"), focus = document.activeElement?.dataset?.run;
  const rows = state.runs.map(run => {
    const at = chosen.indexOf(run.id), swatch = gfncp.make("span", { class: "swatch" });
    if (at >= 0) swatch.style.background = gfncp.lineColour(at);
    const words = [run.model.toUpperCase(), run.data, "seed " + run.seed].filter(word => word.trim()).join(" · ");
    return gfncp.make("li", {}, gfncp.make("button", {
      "data-run": run.id, "aria-pressed": String(at >= 0), title: run.dir,
      onclick: () => {
        gfncp.board.touched = true;
        gfncp.chooseRuns(at >= 0 ? chosen.filter(id => id !== run.id) : [...chosen, run.id]);
      },
    }, swatch, gfncp.make("span", { class: "name" }, run.name),
    gfncp.make("span", { class: "status " + run.status }, gfncp.runStatus[run.status]),
    gfncp.make("small", {}, words + " · step " + run.step + (run.steps ? " of " + run.steps : "") + ", " + gfncp.ago(run.changed)),
    run.steps ? gfncp.make("progress", { max: run.steps, value: run.step, "aria-label": "progress" }) : null,
    run.fault ? gfncp.make("small", { class: "status gone" }, run.fault) : null));
  });
  list.replaceChildren(...rows);
  if (focus) list.querySelector('[data-run="' + focus + '"]')?.focus();
  const live = state.runs.filter(run => run.status === "running").length;
  gfncp.$("runs-count").textContent = state.runs.length + (live ? ", " + live + " running" : "");
  gfncp.$("folders").textContent = state.notes.join("; ") +
    (state.runs.length ? "" : (state.notes.length ? ". " : "") + "There are no runs yet; they come here by themselves.");
};
