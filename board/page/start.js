"use strict";
// What a new state changes, and the theme.

gfncp.takeState = state => {
  const b = gfncp.board;
  b.state = state;
  const here = b.chosen.filter(id => state.runs.some(run => run.id === id));
  if (here.length < b.chosen.length) gfncp.chooseRuns(here); // the directory of a chosen run has gone
  if (!b.touched && !b.chosen.length && state.runs.length) gfncp.chooseRuns([state.runs[0].id]);
  else gfncp.listRuns();
};

gfncp.theme();
gfncp.dark.addEventListener("change", () => {
  gfncp.theme();
  gfncp.forgetCurves();
  gfncp.drawCurves();
  gfncp.listRuns();
});
gfncp.look();
