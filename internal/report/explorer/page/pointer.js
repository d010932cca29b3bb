"use strict";
// Pointing at points, with the mouse, a finger or the arrow keys: the card beside the point, the frame around many.

{
  const plot = gfncp.$("plot"), ring = gfncp.$("ring"), rubber = gfncp.$("rubber"), card = gfncp.$("card");
  const d = gfncp.data;

  // odds are the bars of a point's probabilities.
  const odds = i => {
    const box = gfncp.make("div", { class: "odds" });
    const rows = [[d.labels[i], d.probability[i]], ...gfncp.rivals(i)];
    for (const [k, p] of rows) {
      const bar = gfncp.make("i");
      bar.style.width = Math.round(100 * p) + "%";
      bar.style.background = k === d.k ? gfncp.color("rule") : gfncp.glyph(k).colour;
      box.append(gfncp.make("span", {}, gfncp.rivalName(k)), bar, gfncp.make("span", {}, gfncp.probability(p)));
    }
    return box;
  };

  // words say what the card shows, for those who hear it.
  const words = i => {
    const own = gfncp.clusterName(d.labels[i]) + " with " + gfncp.probability(d.probability[i]);
    const others = gfncp.rivals(i).map(([k, p]) => gfncp.rivalName(k) + " with " + gfncp.probability(p));
    return [gfncp.place(i), own, ...others].join(", ") + (gfncp.state.selected.has(i) ? ", selected" : "");
  };

  const fill = i => {
    const rows = gfncp.make("dl", { class: "rows" });
    if (d.known) rows.append(gfncp.make("dt", {}, "known"), gfncp.make("dd", {}, d.known[i]));
    d.heads.slice(0, 8).forEach((head, j) => rows.append(gfncp.make("dt", {}, head), gfncp.make("dd", {}, d.cells[j][i])));
    if (d.heads.length > 8) rows.append(gfncp.make("dt", {}, "…"), gfncp.make("dd", {}, d.heads.length - 8 + " more"));
    const now = gfncp.hasChanged(i)
      ? gfncp.make("p", {}, "In the clustering shown: " + gfncp.clusterName(gfncp.shown().labels[i])) : null;
    card.replaceChildren(...[
      gfncp.make("b", {}, gfncp.place(i)), d.sprite ? gfncp.thumb(i, 84) : null, rows, d.drawn ? odds(i) : null, now,
    ].filter(part => part));
  };

  // put places the card beside the point, inside the panel.
  const put = at => {
    const panel = card.parentElement.getBoundingClientRect(), box = plot.getBoundingClientRect();
    const x = box.left - panel.left + at.x, y = box.top - panel.top + at.y;
    card.style.left = card.style.top = "0";
    const left = x + 18 + card.offsetWidth > panel.width - 8 ? x - 18 - card.offsetWidth : x + 18;
    card.style.left = Math.max(8, Math.min(left, panel.width - card.offsetWidth - 8)) + "px";
    const below = left < 8 ? y + 22 : y - card.offsetHeight / 2;
    card.style.top = Math.max(44, below) + "px";
  };

  gfncp.when("pointed", () => {
    const i = gfncp.state.pointed, at = i >= 0 ? gfncp.plot.pixel(i) : null;
    ring.hidden = card.hidden = !at;
    if (!at) return;
    ring.style.left = at.x + "px";
    ring.style.top = at.y + "px";
    fill(i);
    put(at);
  });

  const place = event => {
    const box = plot.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  let from = null; // where a frame begins
  const framing = () => gfncp.$("frame").getAttribute("aria-pressed") === "true";

  const stretch = (a, b) => {
    rubber.hidden = false;
    Object.assign(rubber.style, {
      left: Math.min(a.x, b.x) + "px", top: Math.min(a.y, b.y) + "px",
      width: Math.abs(a.x - b.x) + "px", height: Math.abs(a.y - b.y) + "px",
    });
  };

  plot.addEventListener("pointerdown", event => {
    if (event.button === 0 && (event.pointerType === "mouse" || framing())) {
      from = place(event);
      plot.setPointerCapture(event.pointerId);
    }
  });
  plot.addEventListener("pointermove", event => {
    const at = place(event);
    if (from && Math.hypot(at.x - from.x, at.y - from.y) > 5) {
      gfncp.point(-1);
      stretch(from, at);
    } else if (event.pointerType === "mouse") gfncp.point(gfncp.plot.near(at.x, at.y));
  });
  plot.addEventListener("pointerup", event => {
    const at = place(event), dragged = !rubber.hidden;
    rubber.hidden = true;
    if (from && dragged) {
      gfncp.select(gfncp.plot.inside(
        Math.min(from.x, at.x), Math.min(from.y, at.y), Math.max(from.x, at.x), Math.max(from.y, at.y),
      ), event.shiftKey);
    } else {
      const i = gfncp.plot.near(at.x, at.y);
      gfncp.point(i);
      if (i >= 0) gfncp.toggle(i);
    }
    from = null;
  });
  plot.addEventListener("pointercancel", () => { from = null; rubber.hidden = true; });
  plot.addEventListener("pointerleave", () => { if (!from) gfncp.point(-1); });
  plot.addEventListener("blur", () => gfncp.point(-1));

  // step goes to the next point along an axis; points that are not drawn, or zoomed away, are passed over.
  const step = (axis, way) => {
    const { values } = gfncp.axes[axis], scale = gfncp.plot.chart.scales, here = gfncp.state.pointed;
    const drawn = i => ["x", "y"].every(a => {
      const v = gfncp.axes[a].values[i];
      return v >= scale[a].min && v <= scale[a].max;
    });
    const order = Array.from(values.keys()).filter(drawn).sort((a, b) => values[a] - values[b] || a - b);
    if (!order.length) return;
    const at = order.indexOf(here);
    gfncp.point(order[at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + way))]);
    gfncp.say(words(gfncp.state.pointed));
  };

  const keys = {
    ArrowRight: () => step("x", 1), ArrowLeft: () => step("x", -1), ArrowUp: () => step("y", 1),
    ArrowDown: () => step("y", -1), Escape: () => gfncp.select([]),
    Enter: () => gfncp.state.pointed >= 0 && gfncp.toggle(gfncp.state.pointed),
  };
  keys[" "] = keys.Enter;
  plot.addEventListener("keydown", event => {
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}
