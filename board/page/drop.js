"use strict";
// Files are dropped, or chosen, and clustered by the board; the explorer of one is shown below.

{
  const $ = gfncp.$, zone = $("zone"), words = text => { $("drop-words").textContent = text; };
  let wanted = ""; // the file whose explorer is shown as soon as it is there

  // show opens the explorer of a file in the frame.
  const show = drop => {
    const frame = $("explorer");
    frame.hidden = false;
    frame.title = "Explorer of " + drop.name;
    if (frame.dataset.id !== drop.id) frame.src = "drop/" + drop.id;
    frame.dataset.id = drop.id;
    gfncp.say("the explorer of " + drop.name + " is shown");
  };

  gfncp.send = async file => {
    const { limit } = gfncp.board.state;
    if (limit && file.size > limit) {
      return words(file.name + " has " + Math.round(file.size / 2 ** 20) + " MB, and " + Math.round(limit / 2 ** 20) +
        " MB is the most that can be dropped; run gfncp cluster " + file.name + " --html look.html");
    }
    words("");
    try {
      const answer = await fetch("drop?name=" + encodeURIComponent(file.name), { method: "POST", body: file });
      const body = await answer.json();
      if (!answer.ok) throw new Error(body.error);
      wanted = body.id;
      gfncp.listDrops(); // it may be done already: the state that says so can come before this answer
    } catch (fault) {
      words(fault.message);
    }
    return undefined;
  };

  gfncp.listDrops = () => {
    const { drops } = gfncp.board.state, states = {
      waiting: "waits for its turn", running: "is being clustered …", done: "is done", failed: "could not be clustered",
    };
    $("drop-list").replaceChildren(...drops.map(drop => gfncp.make("li", {},
      gfncp.make("b", {}, drop.name), gfncp.make("span", { class: "status " + drop.status }, states[drop.status]),
      drop.status === "done" ? gfncp.make("button", { onclick: () => show(drop) }, "Show") : null,
      drop.status === "done" ? gfncp.make("a", { href: "drop/" + drop.id, target: "_blank", rel: "noopener" }, "in a tab of its own") : null,
      drop.status === "done" ? gfncp.make("a", { href: "drop/" + drop.id, download: drop.name + ".html" }, "save") : null,
      drop.fault ? gfncp.make("span", { class: "fault" }, drop.fault) : null)));
    const ready = drops.find(drop => drop.id === wanted && drop.status === "done");
    if (ready) {
      wanted = "";
      show(ready);
    }
  };

  for (const type of ["dragenter", "dragover"]) {
    zone.addEventListener(type, event => { event.preventDefault(); zone.classList.add("over"); });
  }
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", event => {
    event.preventDefault();
    zone.classList.remove("over");
    for (const file of event.dataTransfer.files) gfncp.send(file);
  });
  $("file").addEventListener("change", event => {
    for (const file of event.target.files) gfncp.send(file);
    event.target.value = "";
  });
  // A file beside the zone would replace the page.
  for (const type of ["dragover", "drop"]) addEventListener(type, event => event.preventDefault());
}
