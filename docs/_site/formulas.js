// Renders formulas by KaTeX: reads lines of JSON, {"tex": ..., "display": ...}, and answers each with a line of JSON,
// {"html": ...} or {"error": ...}.
//   node formulas.js DIRECTORY_OF_KATEX
"use strict";
const katex = require(process.argv[2] + "/katex.min.js");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(tex, { displayMode: display, throwOnError: true, strict: false }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
