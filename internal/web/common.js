"use strict";
// What all pages share. Each script adds its part to the one global name gfncp.
const gfncp = {};

// $ finds an element by its id.
gfncp.$ = id => document.getElementById(id);

// make creates an element with attributes and children; texts are never read as HTML.
gfncp.make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child != null));
  return element;
};

// color reads a colour of the style sheet, such as "ink", in the theme of now.
gfncp.color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

gfncp.dark = matchMedia("(prefers-color-scheme: dark)");

// probability writes a probability so that only 0 is "0" and only 1 is "1".
gfncp.probability = p => {
  if (p <= 0) return "0";
  if (p < 0.01) return "< 0.01";
  if (p > 0.995 && p < 0.99999) return "> 0.99";
  return p >= 0.99999 ? "1" : p.toFixed(2);
};

// count writes a number of things: count(2, "point") is "2 points".
gfncp.count = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");

// short writes a number for an axis or a card.
gfncp.short = v => Number.isInteger(v) && Math.abs(v) < 1e6 ? String(v) : String(Number(v.toPrecision(4)));

// theme gives Chart.js the colours and the type of the page.
gfncp.theme = () => {
  const { defaults } = Chart;
  defaults.font.family = getComputedStyle(document.body).fontFamily;
  defaults.font.size = 12;
  defaults.color = gfncp.color("dim");
  defaults.borderColor = gfncp.color("rule");
  defaults.animation = false;
  defaults.maintainAspectRatio = false;
  defaults.plugins.legend.display = false;
  defaults.plugins.tooltip.enabled = false;
};

// say tells those who do not see the page what has changed.
gfncp.say = text => { gfncp.$("aloud").textContent = text; };
