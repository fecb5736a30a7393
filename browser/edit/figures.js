// The kernels of the figures, which figures.wasm is linked with, by the clang of this machine. node figures.js PROGRAM REWRITER makes
// PROGRAM.s of PROGRAM.cu; node figures.js PROGRAM, once the module is linked, says in PROGRAM.json what describe() wants to know.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { APART, FLAGS, numbered, places } from "./answer.js";
import { host, tell } from "./checking.js";
import { typesFirst } from "./clang14.js";

const [program, rewriter] = process.argv.slice(2);
const read = (kind) => fs.readFileSync(`${program}.${kind}`, "utf-8");
if (rewriter) {
  const { module, string } = host(await WebAssembly.compile(fs.readFileSync(rewriter)));
  tell(module, read("cu"));
  fs.writeFileSync(`${program}.cpp`, string(module.rewrite()));
  execFileSync("clang++", ["--target=wasm32-wasi", ...FLAGS, ...APART, "-fno-c++-static-destructors", "-DLINKED", "-Iheaders", "-include",
    "program.hpp", "-MD", "-MF", `${program}.d`, "-MT", `${program}.s`, "-S", `${program}.cpp`, "-o", `${program}.s`], { stdio: "inherit" });
  const { made, lines } = numbered(read("s"));
  fs.writeFileSync(`${program}.s`, typesFirst(made.replaceAll("__tsan_", "figures_"))); // as accesses.cpp calls them within the module
  fs.writeFileSync(`${program}.lines`, JSON.stringify(lines));
} else {
  const { out, variables } = places(read("map")), none = [0, 0];
  // The map of clang 14's linker has names as C++ writes them, and says what a template returns.
  const labels = read("s").match(/^_ZZ\w+(?=:$)/gm) ?? [];
  const names = execFileSync("c++filt", { input: labels.join("\n"), encoding: "utf-8" }).split("\n");
  for (const variable of variables) variable[0] = labels[names.indexOf(variable[0].replace(/^void /, ""))] ?? variable[0];
  fs.writeFileSync(`${program}.json`, JSON.stringify({ file: "kernel.cu", lines: JSON.parse(read("lines")), data: none, others: [],
    shared: out.get("cpu_device_shared") ?? none, constants: out.get("cpu_device_constant") ?? none, variables }));
}
