"use strict";
// The data of the page, and its state: which clustering is shown, which points are selected, which one is pointed at.

gfncp.data = JSON.parse(gfncp.$("data").textContent);

// unpack reads base64 of little-endian values (all browsers' machines are little-endian).
gfncp.unpack = (text, Kind) => {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Kind(bytes.buffer);
};

{
  const d = gfncp.data;
  d.labels = gfncp.unpack(d.labels, Uint16Array);
  d.probability = Float32Array.from(gfncp.unpack(d.probability, Uint16Array), v => v / 65535);
  if (d.plane) d.plane = gfncp.unpack(d.plane, Float32Array);
  if (d.together) d.together.share = gfncp.unpack(d.together.share, Uint8Array);

  // full puts labels of the members in their places among all points; −1: not known.
  const full = labels => {
    if (!d.members) return labels;
    const all = new Int32Array(d.n).fill(-1);
    d.members.forEach((point, j) => { all[point] = labels[j]; });
    return all;
  };
  // The estimate is the first of the clusterings.
  d.clusterings = [{ labels: d.labels, k: d.k, estimate: true }].concat(d.clusterings.map(
    c => ({ ...c, labels: full(gfncp.unpack(c.labels, Uint16Array)) })));
}

gfncp.state = { at: 0, selected: new Set(), pointed: -1, ways: {} };

// when calls back each time that something of the state has changed: "clustering", "selected", "pointed", "theme".
gfncp.when = (what, call) => (gfncp.state.ways[what] ||= []).push(call);

gfncp.changed = what => { for (const call of gfncp.state.ways[what] || []) call(); };

// select takes points into the selection, in place of it unless they are added.
gfncp.select = (points, add = false) => {
  if (!add) gfncp.state.selected.clear();
  for (const i of points) gfncp.state.selected.add(i);
  gfncp.changed("selected");
};

gfncp.toggle = point => {
  const { selected } = gfncp.state;
  if (!selected.delete(point)) selected.add(point);
  gfncp.changed("selected");
};

gfncp.point = i => {
  if (i === gfncp.state.pointed) return;
  gfncp.state.pointed = i;
  gfncp.changed("pointed");
};

// show shows a clustering.
gfncp.show = at => {
  gfncp.state.at = Math.max(0, Math.min(gfncp.data.clusterings.length - 1, at));
  gfncp.changed("clustering");
};

gfncp.shown = () => gfncp.data.clusterings[gfncp.state.at];

// hasChanged tells whether a point is in another cluster now than in the estimate.
gfncp.hasChanged = i => {
  const label = gfncp.shown().labels[i];
  return label >= 0 && label !== gfncp.data.labels[i];
};

// place says where a point stands in the input, and its name.
gfncp.place = i => {
  const d = gfncp.data;
  return (d.names ? d.names[i] + " · " : "") + d.place + " " + d.places[i];
};

gfncp.clusterName = k => k < gfncp.data.k ? "cluster " + k : "a new cluster " + k;

// rivals are the other clusters of a point with their probabilities: [[cluster, p], …].
gfncp.rivals = i => {
  const flat = (gfncp.data.rivals || [])[i] || [], pairs = [];
  for (let j = 0; j < flat.length; j += 2) pairs.push([flat[j], flat[j + 1]]);
  return pairs;
};

gfncp.rivalName = k => k === gfncp.data.k ? "another cluster" : "cluster " + k;

// glyph is how a cluster is drawn: Okabe and Ito's colours, then other shapes. Dark pages have a lighter blue, and
// white for black.
{
  const shapes = ["circle", "rect", "triangle", "rectRot", "star"];
  gfncp.glyph = k => {
    const colours = gfncp.data.palette, at = k % colours.length;
    let colour = colours[at];
    if (gfncp.dark.matches) colour = { "#0072B2": "#3A97D4", "#000000": "#FFFFFF" }[colour] || colour;
    return { colour, shape: shapes[Math.floor(k / colours.length) % shapes.length] };
  };
}
