// The headers in front of every program, precompiled: node precompile.js FOLDER, which has the compiler and headers.json.
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const folder = process.argv[2], at = (name) => pathToFileURL(`${folder}/${name}`);
const { precompile } = await import(at("answer.js"));
const { text } = await import(at("checking.js"));
const { runClang } = await import(at("bundle.js"));

let said = "";
const options = { stdout: () => {}, stderr: (bytes) => { if (bytes) said += text(bytes); }, fetchProgress: () => {} };
const { files } = await precompile(JSON.parse(fs.readFileSync(at("headers.json"), "utf-8")), async (flags, given) => (
  { files: await runClang(flags, given, options) })).catch((error) => ({ files: console.error(said, String(error)) }));
if (!files) process.exit(1);
fs.writeFileSync(at("program.pch.gz"), gzipSync(files["program.pch"]));
