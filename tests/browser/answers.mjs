// Checks answers as a page does, in Node: answers.mjs SITE < [{"number", "source"}, ...], a line of JSON for each.
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const at = (name) => pathToFileURL(`${process.argv[2]}/edit/${name}`);
const { compileAnswer } = await import(at("answer.js"));
const { check, text } = await import(at("checking.js"));
const { runClang } = await import(at("bundle.js"));
const binaryen = async () => (await import(at("binaryen.js"))).default;
const checker = await WebAssembly.compile(fs.readFileSync(at("exercises.wasm")));
const waiting = await WebAssembly.compile(fs.readFileSync(at("waiting.wasm")));
const headers = JSON.parse(fs.readFileSync(at("headers.json"), "utf-8"));
headers["program.pch"] = new Uint8Array(gunzipSync(fs.readFileSync(at("program.pch.gz"))));

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
  const made = await compileAnswer(checker, headers, run, source, "answer", binaryen);
  let report = null;
  const ended = made.module ? check(made.waits ? waiting : checker, made, number, (now) => { report = now; }) : null;
  console.log(JSON.stringify({ said: made.said, report, ended }));
}
