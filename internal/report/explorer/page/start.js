"use strict";
// Puts it all together, and again when the theme or the window changes.

{
  const d = gfncp.data;
  gfncp.$("uncertain").textContent = d.uncertain;
  for (const element of document.querySelectorAll(".nouns")) element.textContent = d.noun + "s";

  for (const axis of ["x", "y"]) {
    const menu = gfncp.$(axis + "-axis");
    menu.append(...gfncp.columns.map((column, j) => gfncp.make("option", { value: j }, column.name)));
    menu.value = gfncp.columns.indexOf(gfncp.axes[axis]);
    menu.addEventListener("change", () => {
      gfncp.axes[axis] = gfncp.columns[menu.value];
      gfncp.$("whole").disabled = true;
      gfncp.plot.draw();
    });
  }
  gfncp.$("frame").addEventListener("click", event => {
    const on = event.currentTarget.getAttribute("aria-pressed") !== "true";
    event.currentTarget.setAttribute("aria-pressed", on);
    gfncp.$("plot").classList.toggle("framing", on);
  });
  gfncp.$("zoom").addEventListener("click", () => gfncp.plot.zoom([...gfncp.state.selected]));
  gfncp.$("whole").addEventListener("click", () => gfncp.plot.zoom([]));

  const draw = () => {
    gfncp.plot.draw();
    gfncp.sizes.draw();
    gfncp.drawTogether();
    gfncp.changed("clustering");
  };
  draw();
  gfncp.changed("selected");
  gfncp.say("");
  gfncp.when("clustering", gfncp.plot.renew);
  gfncp.when("selected", gfncp.plot.renew);
  gfncp.dark.addEventListener("change", draw);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's address bar comes and goes
    width = innerWidth;
    gfncp.sizes.draw();
    gfncp.changed("pointed");
  });
}
