// Checks answers as a page does, in Node: answers.mjs SITE < [{"number", "source"}, ...], a line of JSON for each.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/edit/${name}`);
const { compileAnswer } = await import(at("answer.js"));
const { check, text } = await import(at("checking.js"));
const { runClang } = await import(at("bundle.js"));
const checker = await WebAssembly.compile(fs.readFileSync(at("exercises.wasm")));
const headers = JSON.parse(fs.readFileSync(at("headers.json"), "utf-8"));

async function run(flags, given) {
  let said = "";
  const options = { stdout: () => {}, stderr: (bytes) => { if (bytes) said += text(bytes); }, fetchProgress: () => {} };
  try {
    const files = await runClang(flags, given, options);
    return { files, said };
  } catch {
    return { said };
  }
}

for (const { number, source } of JSON.parse(fs.readFileSync(0, "utf-8"))) {
  const made = await compileAnswer(checker, headers, run, source);
  let report = null;
  const ended = made.module ? check(checker, made, number, (now) => { report = now; }) : null;
  console.log(JSON.stringify({ said: made.said, report, ended }));
}
