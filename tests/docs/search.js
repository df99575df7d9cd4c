// Asks the search of a built site, by its own script and index, as a browser runs them: reads queries, one a line, and
// answers each with a line of JSON, the results from the best on as [address, title, description].
//   node search.js SITE < queries
"use strict";
const fs = require("fs");
const vm = require("vm");

// As much of a page as the search writes on.
const element = () => ({
  children: [], dataset: {}, classList: { add() {} }, style: {},
  appendChild(child) { this.children.push(child); return child; },
});
const context = vm.createContext({
  document: { createElement: element, getElementById: element, body: element() },
  window: { setTimeout(task) { task(); } },
  setTimeout: (task) => task(),
  _ready() {}, _: (text) => text, Documentation: { gettext: (text) => text },
  SPHINX_HIGHLIGHT_ENABLED: false,
  DOCUMENTATION_OPTIONS: { BUILDER: "html", URL_ROOT: "", FILE_SUFFIX: ".html", LINK_SUFFIX: ".html",
                           SHOW_SEARCH_SUMMARY: false },
});
const read = (name) => fs.readFileSync(`${process.argv[2]}/${name}`, "utf-8");
vm.runInContext(`${read("_static/language_data.js")}\n${read("_static/searchtools.js")}\n${read("searchindex.js")}
globalThis.ask = (query) => {
  Search.output = document.createElement("ul");
  Search.title = document.createElement("h2");
  Search.status = document.createElement("p");
  Search.query(query);
  return Search.output.children.map((item) => {
    const [link, description] = item.children;
    return [link.href, link.innerHTML, description ? description.innerHTML : ""];
  });
};`, context);
for (const query of fs.readFileSync(0, "utf-8").split("\n").filter((line) => line))
  process.stdout.write(JSON.stringify(context.ask(query)) + "\n");
