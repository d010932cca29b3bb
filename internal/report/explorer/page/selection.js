"use strict";
// The selected points as a table, and their rows on the clipboard.

{
  const d = gfncp.data, most = 200; // rows in the table; all are copied
  const chosen = () => [...gfncp.state.selected].sort((a, b) => a - b);

  // thumb is an image of a point, so many pixels high.
  gfncp.thumb = (i, high) => {
    const s = d.sprite, scale = high / s.height, element = gfncp.make("span", { class: "thumb" });
    Object.assign(element.style, {
      width: s.width * scale + "px", height: high + "px", backgroundImage: "url(" + s.url + ")",
      backgroundSize: s.columns * s.width * scale + "px auto",
      backgroundPosition: -(i % s.columns) * s.width * scale + "px " + -Math.floor(i / s.columns) * high + "px",
    });
    return element;
  };

  const head = () => [
    d.place, ...(d.names ? ["name"] : []), ...(d.known ? ["known"] : []), ...d.heads, "cluster", "probability",
  ];
  const cells = i => [
    d.places[i], ...(d.names ? [d.names[i]] : []), ...(d.known ? [d.known[i]] : []), ...d.heads.map((_, j) => d.cells[j][i]),
    d.labels[i], d.probability[i].toFixed(4),
  ].map(String);

  // quoted is a cell of CSV; a text that a spreadsheet would take for a formula gets an apostrophe, as in --out.
  const quoted = text => {
    if (/^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text))) text = "'" + text;
    return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };

  // csv is the selected rows as text.
  gfncp.csv = () => [head(), ...chosen().map(cells)].map(row => row.map(quoted).join(",") + "\n").join("");

  // others names the likely clusters beside a point's own.
  const others = i => gfncp.rivals(i).map(([k, p]) => gfncp.rivalName(k) + " " + gfncp.probability(p)).join(", ");

  const row = i => gfncp.make("tr", {
    onpointerenter: () => gfncp.point(i), onpointerleave: () => gfncp.point(-1),
  }, ...(d.sprite ? [gfncp.make("td", {}, gfncp.thumb(i, 42))] : []),
  ...cells(i).map((text, j) => gfncp.make("td", { class: Number.isFinite(Number(text)) && text ? "number" : "" },
    j === head().length - 1 ? gfncp.probability(d.probability[i]) : text)), gfncp.make("td", {}, others(i)));

  gfncp.when("selected", () => {
    const points = chosen(), none = !points.length;
    gfncp.$("chosen").textContent = none ? "none" : gfncp.count(points.length, d.noun);
    gfncp.say(none ? "nothing is selected" : gfncp.count(points.length, d.noun) + " selected");
    for (const id of ["copy", "clear", "zoom"]) gfncp.$(id).disabled = none;
    gfncp.$("copy").textContent = "Copy rows as CSV";
    const titles = [...(d.sprite ? [""] : []), ...head(), "others"];
    gfncp.$("rows").replaceChildren(...(none ? [] : [
      gfncp.make("thead", {}, gfncp.make("tr", {}, ...titles.map(title => gfncp.make("th", { scope: "col" }, title)))),
      gfncp.make("tbody", {}, ...points.slice(0, most).map(row)),
    ]));
    const more = points.length - most;
    gfncp.$("more").textContent = none ? "Click points, drag a frame around them, or click a cluster."
      : more > 0 ? "… and " + gfncp.count(more, "row") + " more; all are copied." : "";
  });

  // old copies where the clipboard is closed to pages from disk.
  const old = text => {
    const area = gfncp.make("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };

  gfncp.copy = async () => {
    const text = gfncp.csv();
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch { done = old(text); }
    const words = done ? "Copied " + gfncp.count(gfncp.state.selected.size, "row") : "The browser does not allow to copy";
    gfncp.$("copy").textContent = words;
    gfncp.say(words);
  };
  gfncp.$("copy").addEventListener("click", gfncp.copy);
  gfncp.$("clear").addEventListener("click", () => gfncp.select([]));
  gfncp.$("pick-unsure").addEventListener("click", () => {
    gfncp.select(Array.from({ length: d.n }, (_, i) => i).filter(i => d.probability[i] < d.uncertain));
  });
}
