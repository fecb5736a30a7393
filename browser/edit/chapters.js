// Whole chapters as modules, compiled when the site is built by the clang of this machine, whose C++ library is that of chapters.wasm:
// node chapters.js ROOT BUILD OUT [CHAPTER ...]. BUILD has the modules, and in headers/ what a program may include.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { FLAGS, compileAnswer } from "./answer.js";
import { text } from "./checking.js";
import { typesFirst } from "./clang14.js";

const [root, build, out, ...wanted] = process.argv.slice(2);
const INCLUDE = [...["headers", "include"].map((name) => `-I${build}/${name}`), `-I${root}`];
const OWN = ["--target=wasm32-wasi", "-DFMT_HEADER_ONLY", "-DFMT_STATIC_THOUSANDS_SEPARATOR=32", "-DFMT_USE_LOCALE=0",
  "-fno-c++-static-destructors", "-Wno-unused-command-line-argument"];
const { runClang, runLLVM } = await import(pathToFileURL(`${build}/edit/node_modules/@yowasp/clang/gen/bundle.js`));
const binaryen = async () => (await import(pathToFileURL(`${build}/edit/node_modules/binaryen/index.js`))).default;
const chapters = await WebAssembly.compile(fs.readFileSync(`${build}/chapters.wasm`));

// clang, as the page has it: files in, files out.
async function clang(folder, [program, ...flags], given) {
  for (const [name, content] of Object.entries(given)) fs.writeFileSync(path.join(folder, name), name === "program.s" ? typesFirst(content) : content);
  const outputs = flags.flatMap((flag, at) => (flag === "-o" ? [flags[at + 1]] : /^-Wl,-Map=/.test(flag) ? [flag.slice(9)] : []));
  const own = flags.filter((flag) => flag !== "-I." && flag !== "-fno-exceptions");
  let said = "";
  const status = await new Promise((done) => {
    const running = spawn(program, [...OWN, ...own, ...(flags.includes("-x") ? INCLUDE : [])], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    running.stderr.on("data", (more) => { said += more; });
    running.on("close", done);
  });
  if (status !== 0) return { said };
  return { said, files: Object.fromEntries(outputs.map((name) => [name, fs.readFileSync(path.join(folder, name))])) };
}

// The linker of the page, because that of clang 14 puts every module's functions into a table from its first place on; with the
// libraries that clang 14 compiles for.
const printed = (what) => execFileSync("clang++", ["--target=wasm32-wasi", what], { encoding: "utf-8" }).trim();
const libraries = Object.fromEntries([...["libc++.a", "libc++abi.a", "libc.a"].map((name) => [name, printed(`-print-file-name=${name}`)]),
  ["builtins.a", printed("-print-libgcc-file-name")]].map(([name, file]) => [name, new Uint8Array(fs.readFileSync(file))]));
// Where a program starts. That of wasi-libc leaves constructors to the linker, which would have them run before every call from outside,
// as that of figures_stack is, unless somebody calls them.
const START = `\t.functype\t__wasm_call_ctors () -> ()
\t.functype\t__original_main () -> (i32)
\t.functype\texit (i32) -> ()
\t.section\t.text._start,"",@
\t.globl\t_start
\t.type\t_start,@function
_start:
\t.functype\t_start () -> ()
\tcall\t__wasm_call_ctors
\tcall\t__original_main
\tcall\texit
\tend_function
`;
async function link(folder, flags, given) {
  const assembled = {};
  let said = "";
  const options = { stdout: () => {}, stderr: (bytes) => { if (bytes) said += text(bytes); }, fetchProgress: () => {} };
  for (const [name, content] of Object.entries({ ...given, "start.s": START })) {
    const words = ["clang++", "-msimd128", "-mbulk-memory", "-c", name, "-o", `${name}.o`];
    const compiled = await clang(folder, words, { [name]: content }); // clang 14 refuses a loop that is left by a return alone
    const files = compiled.files ?? await runClang(words, { [name]: typesFirst(content) }, options).catch(() => null);
    if (!files) return compiled;
    assembled[`${name}.o`] = new Uint8Array(files[`${name}.o`]);
  }
  const told = flags.filter((flag) => flag.startsWith("-Wl,")).flatMap((flag) => flag.slice(4).split(","));
  try {
    const files = await runLLVM(["wasm-ld", "-m", "wasm32", ...told, ...Object.keys(assembled), "libc++.a", "libc++abi.a", "libc.a",
      "builtins.a", "--strip-all", "-o", "program.wasm"], { ...libraries, ...assembled }, options);
    return { files, said };
  } catch (error) {
    return { said: said || String(error) };
  }
}

// The source with the kernels of its folder, and of other chapters', in it: the rewriter has to see them. Their other headers
// are named from the root.
function whole(file, seen = new Set()) {
  if (seen.has(file)) return "";
  seen.add(file);
  const beside = (name) => path.join(path.dirname(file), name);
  return fs.readFileSync(file, "utf-8").replace(/^#pragma once$/m, "")
    .replace(/^#include "([^"]*\.cuh)".*$/gm, (_, name) => whole(beside(name), seen))
    .replace(/^#include "((?!common\/|chapters\/)[^"]*\.hpp)".*$/gm, (_, name) => `#include "${path.relative(root, beside(name))}"`);
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "chapters-"));
const fixed = { "stack.s": fs.readFileSync(`${build}/headers/stack.s`) };

async function make(name) {
  const folder = fs.mkdtempSync(path.join(scratch, name));
  fs.symlinkSync(path.join(scratch, "program.pch"), path.join(folder, "program.pch"));
  const made = await compileAnswer(chapters, fixed, (flags, given) => (flags.includes("-S") ? clang : link)(folder, flags, given),
    [`${name}.cu`, ...fs.readdirSync(`${root}/chapters/${name}`).filter((file) => file.endsWith(".cpp"))]
      .map((file) => whole(`${root}/chapters/${name}/${file}`)).join("\n"), name, binaryen);
  fs.rmSync(folder, { recursive: true });
  if (made.bytes) fs.writeFileSync(`${out}/${name}.wasm`, made.bytes);
  else console.error(`${name}: ${made.said}`);
  fs.writeFileSync(`${out}/${name}.json`, JSON.stringify(made.bytes ? { waits: made.waits, about: made.about } : { said: made.said }));
}

const precompiled = await clang(scratch, ["clang++", "-x", "c++-header", ...FLAGS, "-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates",
  `${root}/browser/whole/chapter.hpp`, "-o", "program.pch"], {});
if (!precompiled.files) throw new Error(precompiled.said);
const all = fs.readdirSync(`${root}/chapters`).filter((name) => /^\d\d_/.test(name)).sort();
const left = wanted.length ? all.filter((name) => wanted.some((one) => name.startsWith(one))) : all;
await Promise.all([0, 1].map(async () => {
  for (let name; (name = left.shift());) await make(name);
}));
fs.rmSync(scratch, { recursive: true });
