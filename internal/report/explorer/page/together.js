"use strict";
// How often two points are together: one pixel a pair, rows and columns in the order of the estimate's clusters, whose
// colours stand at the rim.

{
  const d = gfncp.data, t = d.together, box = gfncp.$("together"), cross = gfncp.$("cross");
  gfncp.$("together-panel").hidden = !t;

  // rgb reads #rrggbb.
  const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));

  // tint is the colour of a share: one hue, from the page's white or black to blue or sky.
  const tint = share => {
    const ends = gfncp.dark.matches ? [[24, 27, 32], [148, 212, 255]] : [[255, 255, 255], [0, 74, 130]];
    return ends[0].map((v, i) => Math.round(v + (ends[1][i] - v) * share));
  };

  const n = t ? t.points.length : 0, rim = Math.max(2, Math.round(n / 40)), side = n + rim;

  gfncp.drawTogether = () => {
    if (!t) return;
    const canvas = gfncp.$("heat"), c = canvas.getContext("2d");
    canvas.width = canvas.height = side;
    const image = c.createImageData(side, side), ramp = Array.from({ length: 256 }, (_, v) => tint(v / 255));
    const rims = t.points.map(point => rgb(gfncp.glyph(d.labels[point]).colour));
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        const row = y - rim, column = x - rim, at = 4 * (y * side + x);
        let colour = tint(0);
        if (row >= 0 && column >= 0) colour = ramp[t.share[row * n + column]];
        else if (row >= 0) colour = rims[row];
        else if (column >= 0) colour = rims[column];
        image.data.set(colour, at);
        image.data[at + 3] = row < 0 && column < 0 ? 0 : 255;
      }
    }
    c.putImageData(image, 0, 0);
    const [from, to] = [tint(0), tint(1)].map(v => "rgb(" + v.join(",") + ")");
    gfncp.$("ramp").style.background = "linear-gradient(90deg, " + from + ", " + to + ")";
  };

  let at = null; // [row, column] of the cross
  const look = (row, column) => {
    at = [row, column].map(v => Math.max(0, Math.min(n - 1, v)));
    const [a, b] = at.map(i => t.points[i]), size = 100 / side;
    cross.hidden = false;
    cross.style.left = (at[1] + rim + 0.5) * size + "%";
    cross.style.top = (at[0] + rim + 0.5) * size + "%";
    gfncp.$("pair").textContent = gfncp.place(a) + " (cluster " + d.labels[a] + ") and " + gfncp.place(b) + " (cluster " +
      d.labels[b] + "): together in " + gfncp.probability(t.share[at[0] * n + at[1]] / 255) + " of the samples";
  };
  const find = event => {
    const r = box.getBoundingClientRect(), cell = r.width / side;
    return [Math.floor((event.clientY - r.top) / cell) - rim, Math.floor((event.clientX - r.left) / cell) - rim];
  };
  const pick = () => at && gfncp.select(new Set(at.map(i => t.points[i])));
  const keys = {
    ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  };
  if (t) {
    box.addEventListener("pointermove", event => look(...find(event)));
    box.addEventListener("click", event => { look(...find(event)); pick(); });
    box.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") pick();
      else if (keys[event.key]) look(...(at || [0, 0]).map((v, i) => v + keys[event.key][i] * (event.shiftKey ? 10 : 1)));
      else return;
      event.preventDefault();
      gfncp.say(gfncp.$("pair").textContent);
    });
    const all = d.members ? d.members.length : d.n;
    gfncp.$("together-words").textContent = "How often two " + d.noun + "s share a cluster, ordered by the estimate" +
      (n < all ? ": " + n + " of the " + all.toLocaleString("en") + " " + d.noun + "s that were sampled." : ".");
  }
}
