"use strict";
// The slider through the most probable clusterings, in words: how probable, and what differs from the estimate.

{
  const d = gfncp.data, slider = gfncp.$("which");

  // moves counts the points by where they were and where they are: [{from, to, n}], the largest first.
  gfncp.moves = () => {
    const counts = new Map();
    for (let i = 0; i < d.n; i++) {
      if (!gfncp.hasChanged(i)) continue;
      const key = d.labels[i] + " " + gfncp.shown().labels[i];
      counts.set(key, (counts.get(key) || 0) + 1);
    }
    return [...counts].map(([key, n]) => {
      const [from, to] = key.split(" ").map(Number);
      return { from, to, n };
    }).sort((a, b) => b.n - a.n || a.from - b.from || a.to - b.to);
  };

  const text = () => {
    const c = gfncp.shown();
    if (c.estimate) {
      return "The estimate: " + gfncp.count(d.k, "cluster") + ". The slider shows " +
        gfncp.count(d.clusterings.length - 1, "sampled clustering") + (d.members
        ? " of the " + gfncp.count(d.members.length, d.noun) + " that were sampled; the others are pale." : ".");
    }
    const drawn = c.count > 1 ? ", drawn " + c.count + " times of " + d.drawn : "";
    const best = d.clusterings[1].logProb - c.logProb;
    return "Number " + gfncp.state.at + ": " + gfncp.count(c.k, "cluster") + ", " + d.logName + " = " +
      c.logProb.toFixed(2) + (best > 0 ? " (" + best.toFixed(2) + " below the best)" : "") + drawn + ".";
  };

  const list = moves => {
    const total = moves.reduce((sum, m) => sum + m.n, 0), items = [];
    if (gfncp.state.at > 0) {
      items.push(total ? gfncp.count(total, d.noun) + " marked: in another cluster than in the estimate."
        : "The same clusters as in the estimate.");
    }
    for (const m of moves.slice(0, 6)) {
      items.push(gfncp.count(m.n, d.noun) + " from " + gfncp.clusterName(m.from) + " to " + gfncp.clusterName(m.to));
    }
    if (moves.length > 6) items.push("and " + gfncp.count(moves.length - 6, "other move"));
    return items;
  };

  gfncp.when("clustering", () => {
    const moves = gfncp.moves(), words = text(), items = list(moves);
    slider.value = gfncp.state.at;
    slider.setAttribute("aria-valuetext", words + " " + (items[0] || ""));
    gfncp.$("which-text").textContent = words;
    gfncp.$("moves").replaceChildren(...items.map(item => gfncp.make("li", {}, item)));
    gfncp.$("back").disabled = gfncp.state.at === 0;
    gfncp.$("next").disabled = gfncp.state.at === d.clusterings.length - 1;
    gfncp.$("pick-changed").disabled = !moves.length;
  });

  slider.max = d.clusterings.length - 1;
  let waits = false; // for the next picture: a fast hand is not slowed down by those between
  slider.addEventListener("input", () => {
    if (!waits) requestAnimationFrame(() => { waits = false; gfncp.show(Number(slider.value)); });
    waits = true;
  });
  gfncp.$("back").addEventListener("click", () => gfncp.show(gfncp.state.at - 1));
  gfncp.$("next").addEventListener("click", () => gfncp.show(gfncp.state.at + 1));
  gfncp.$("pick-changed").addEventListener("click", () => {
    gfncp.select(Array.from({ length: d.n }, (_, i) => i).filter(gfncp.hasChanged));
  });
  gfncp.$("slider").hidden = d.clusterings.length < 2;
}
