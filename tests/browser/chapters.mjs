// Runs chapters as a page does, in Node, a process each: chapters.mjs FOLDER CHAPTER FIELDS, JSON as chapters.js makes it, which prints the
// results as a file has them, or {"ended": SENTENCE}. FOLDER is the site's edit.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, chapter, fields] = process.argv.slice(2);
const at = (name) => pathToFileURL(`${folder}/${name}`);
const { runProgram } = await import(at("checking.js"));
const made = JSON.parse(fs.readFileSync(at(`chapters/${chapter}.json`), "utf-8"));
if (made.said) {
  console.log(JSON.stringify({ ended: made.said }));
} else {
  const module = (name) => WebAssembly.compile(fs.readFileSync(at(name)));
  const runner = await module(made.waits ? "chapters_waiting.wasm" : "chapters.wasm");
  const { results, status, sentence } = runProgram(runner, { module: await module(`chapters/${chapter}.wasm`), about: made.about },
    { columns: 120, chapter: { name: chapter, ...JSON.parse(fields) }, say: (words) => process.stderr.write(words) });
  console.log(results || JSON.stringify({ ended: sentence ?? `status ${status}` }));
}
