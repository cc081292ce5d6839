"use strict";
(() => {
  const svg = document.querySelector("svg");
  const told = document.getElementById("told");
  const search = document.getElementById("search");
  const intro = told.textContent;
  const nodes = new Map();
  for (const node of svg.querySelectorAll(".node")) nodes.set(node.dataset.node, node);
  const edges = [...svg.querySelectorAll(".edge[data-from]")];
  const clear = () => {
    svg.classList.remove("some");
    for (const part of svg.querySelectorAll(".on, .picked")) part.classList.remove("on", "picked");
    told.textContent = intro;
  };
  const reach = (start, from, to) => {
    const seen = new Set([start]);
    for (const at of seen)
      for (const edge of edges)
        if (edge.dataset[from] === at) {
          edge.classList.add("on");
          seen.add(edge.dataset[to]);
        }
    return seen;
  };
  const pick = (node) => {
    clear();
    svg.classList.add("some");
    const after = reach(node.dataset.node, "from", "to");
    const before = reach(node.dataset.node, "to", "from");
    for (const id of [...after, ...before]) nodes.get(id)?.classList.add("on");
    node.classList.add("picked");
    told.textContent = `${node.dataset.name}: ${before.size - 1} before, ${after.size - 1} after`;
  };
  svg.addEventListener("click", (event) => {
    const node = event.target.closest(".node");
    node ? pick(node) : clear();
  });
  search.addEventListener("input", () => {
    clear();
    const text = search.value.trim().toLowerCase();
    if (!text) return;
    svg.classList.add("some");
    const found = [...nodes.values()].filter((n) => n.dataset.name.toLowerCase().includes(text));
    for (const node of found) node.classList.add("on");
    found[0]?.scrollIntoView({ block: "center", inline: "center" });
    told.textContent = `${found.length} found`;
  });
})();
