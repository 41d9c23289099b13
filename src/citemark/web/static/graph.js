// Draws the nodes and edges that the page lists; what is chosen says where it is stated.
"use strict";

addEventListener("DOMContentLoaded", async () => {
  const MOST_DRAWN = matchMedia("(min-width: 45rem)").matches ? 30 : 14; // more boxes hide each other; the list has all of them
  const MOST_ADDED = 15;
  const KINDS = 6;
  const drawing = document.getElementById("drawing");
  const chosen = document.getElementById("chosen");
  const legend = document.getElementById("legend");
  if (drawing === null || typeof cytoscape === "undefined") return;

  const kinds = new Map();
  const number = (kind) => {
    if (!kinds.has(kind)) {
      kinds.set(kind, Math.min(kinds.size + 1, KINDS));
      const entry = document.createElement("li");
      const box = document.createElement("i");
      box.className = `kind-${kinds.get(kind)}`;
      entry.append(box, kind);
      legend.append(entry);
    }
    return kinds.get(kind);
  };
  const short = (text) => (text.length > 30 ? `${text.slice(0, 29)}…` : text);
  const twin = async (address) => {
    const { pathname, search } = new URL(address, location.href);
    const answer = await fetch(`${pathname}.json${search}`, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = await answer.json();
    return page.around ?? page;
  };

  const asNode = (each) => ({ data: { id: each.id, label: short(each.title), kind: number(each.kind), about: each } });
  const asEdge = (each) => ({
    data: { id: `${each.from} ${each.type} ${each.to} ${each.open}`, source: each.from, target: each.to, label: each.type, about: each },
  });
  const probe = document.createElement("i"); // what a custom property stands for in the present scheme
  probe.hidden = true;
  document.body.append(probe);
  const looks = () => {
    const value = (name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const style = [
      { selector: "node", style: {
        "label": "data(label)", "color": value("--ink"), "font-family": "sans-serif", "font-size": 12, "text-wrap": "wrap", "text-max-width": 110,
        "text-valign": "bottom", "text-margin-y": 4, "shape": "round-rectangle", "width": 26, "height": 20,
        "text-background-color": value("--raised"), "text-background-opacity": 0.8, "text-background-padding": 1,
      } },
      { selector: "edge", style: {
        "width": 1.5, "curve-style": "bezier", "target-arrow-shape": "triangle", "line-color": value("--faint"), "target-arrow-color": value("--faint"),
        "arrow-scale": 0.9, "font-family": "sans-serif", "font-size": 10, "color": value("--ink"), "text-rotation": "autorotate",
        "text-background-color": value("--raised"), "text-background-opacity": 0.9,
      } },
      { selector: "edge.named, edge:selected", style: { "label": "data(label)" } },
      { selector: ":selected", style: { "line-color": value("--accent"), "target-arrow-color": value("--accent"), "border-width": 3, "border-color": value("--accent") } },
      { selector: ".middle", style: { "width": 40, "height": 30, "font-weight": "bold", "font-size": 14 } },
    ];
    for (let each = 1; each <= KINDS; each += 1) {
      style.push({ selector: `node[kind = ${each}]`, style: { "background-color": value(`--kind-${each}`) } });
    }
    return style;
  };

  const page = await twin(location.href);
  const middle = (page.node ?? page.changed ?? page.nodes[0]).id;
  const first = page.nodes.slice(0, MOST_DRAWN);
  const known = new Set(first.map((each) => each.id));
  const among = (edges) => edges.filter((each) => known.has(each.from) && known.has(each.to));
  const cy = cytoscape({
    container: drawing,
    elements: [...first.map(asNode), ...among(page.edges).map(asEdge)],
    style: looks(),
    layout: { name: "preset" },
    minZoom: 0.2,
    maxZoom: 2.5,
    wheelSensitivity: 0.3,
    autounselectify: false,
  });
  const arrange = () => {
    cy.edges().toggleClass("named", cy.edges().length <= 12);
    cy.layout({ name: "concentric", concentric: (each) => (each.id() === middle ? 2 : 1), levelWidth: () => 1, minNodeSpacing: 30 }).run();
    cy.layout({
      name: "cose", animate: false, randomize: false, nodeRepulsion: () => 40000, idealEdgeLength: () => 90, nodeOverlap: 20, padding: 30, numIter: 600,
      nodeDimensionsIncludeLabels: true,
    }).run();
    cy.fit(undefined, 30);
  };
  const drawn = () => { drawing.dataset.drawn = String(cy.nodes().length); };
  cy.getElementById(middle).addClass("middle");
  arrange();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => cy.style(looks()));
  addEventListener("resize", () => cy.resize().fit(undefined, 30));

  const line = (...parts) => {
    const made = document.createElement("p");
    made.dir = "auto";
    made.append(...parts);
    return made;
  };
  const link = (words, address) => {
    const made = document.createElement("a");
    made.textContent = words;
    made.href = address;
    return made;
  };
  cy.on("tap", "edge", (event) => {
    const { about } = event.target.data();
    chosen.replaceChildren(
      line(`${about.from_title} ${about.type} → ${about.to_title}`),
      line("Stated in ", Object.assign(link(about.stated, `${about.open}#cited`), { className: "stated" })),
    );
  });
  cy.on("tap", "node", async (event) => {
    const { about } = event.target.data();
    const strong = document.createElement("strong");
    strong.textContent = about.title;
    const ways = line(link("In the middle", about.around), ...(about.read ? [" · ", link("Read", about.read)] : []));
    chosen.replaceChildren(line(strong), line(about.kind), ways);
    if (about.id === middle || event.target.data("opened")) return;
    event.target.data("opened", true);
    try {
      const around = await twin(about.around);
      const added = around.nodes.filter((each) => !known.has(each.id)).slice(0, MOST_ADDED);
      for (const each of added) known.add(each.id);
      cy.add(added.map(asNode));
      cy.add(among(around.edges).map(asEdge).filter((each) => cy.getElementById(each.data.id).empty()));
      drawn();
      const left = around.nodes.filter((each) => !known.has(each.id)).length;
      chosen.append(line(`${added.length} neighbour${added.length === 1 ? "" : "s"} added${left ? `; ${left} more are on its own page` : ""}.`));
      if (added.length) arrange();
    } catch (error) {
      chosen.append(line(`Its neighbours cannot be shown now (${error.message}).`));
    }
  });
  if (page.nodes.length > MOST_DRAWN) {
    chosen.append(line(`Drawn: the first ${MOST_DRAWN} of ${page.nodes.length}; the list below has all of them.`));
  }
  drawn();
});
