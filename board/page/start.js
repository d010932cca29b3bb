"use strict";
// What a new state changes, and the theme.

gfncp.takeState = state => {
  const b = gfncp.board;
  b.state = state;
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
