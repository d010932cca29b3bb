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
    if (part === "runs") gfncp.drawCurves();
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
    gfncp.listDrops();
    return undefined;
  };

  gfncp.theme();
  gfncp.dark.addEventListener("change", () => {
    gfncp.theme();
    gfncp.forgetCurves();
    gfncp.drawCurves();
    gfncp.listRuns();
  });
  gfncp.look();
}
