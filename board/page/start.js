"use strict";
// The parts of the board, and what a new state changes.

{
  const $ = gfncp.$, tabs = [...document.querySelectorAll("[role=tab]")];

  const open = tab => {
    for (const one of tabs) {
      const on = one === tab;
      one.setAttribute("aria-selected", on);
      one.tabIndex = on ? 0 : -1;
      $(one.getAttribute("aria-controls")).hidden = !on;
    }
    const part = tab.getAttribute("aria-controls");
    if (part === "tables") openTables();
    if (part === "sweeps") gfncp.loadSweep();
    if (part === "runs") gfncp.drawCurves();
  };

  // openTables shows the page of the tables as they are now, or why there is none.
  const openTables = async () => {
    const answer = await fetch("report/");
    $("report").hidden = !answer.ok;
    $("tables-words").textContent = answer.ok ? "" : "There are no tables: " + (await answer.json()).error;
    if (answer.ok) $("report").src = "report/";
  };

  for (const tab of tabs) tab.addEventListener("click", () => open(tab));
  $("tabs").addEventListener("keydown", event => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + way + tabs.length) % tabs.length];
    next.focus();
    open(next);
  });

  gfncp.takeState = state => {
    const b = gfncp.board;
    b.state = state;
    if (!b.touched && !b.chosen.length && state.runs.length) return gfncp.chooseRuns([state.runs[0].id]);
    gfncp.listRuns();
    gfncp.listSweeps();
    gfncp.listDrops();
    return undefined;
  };

  gfncp.theme();
  gfncp.dark.addEventListener("change", () => {
    gfncp.theme();
    gfncp.forgetCurves();
    gfncp.drawCurves();
    gfncp.listRuns();
    gfncp.loadSweep();
  });
  gfncp.follow();
}
