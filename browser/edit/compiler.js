// The compiler, in a worker of its own: clang as WebAssembly, fetched once, when a reader first runs what he has written. An edited
// kernel of a figure is C++ already (`source`); an answer to an exercise (`answer`) and a whole program (`program`) are .cu files.
import { compileAnswer } from "./answer.js";
import { runClang, runLLVM } from "./bundle.js";
import { text } from "./checking.js";

let fetched = false;
const headers = fetch("headers.json").then((answer) => answer.json());
// Each is fetched once, when it is first wanted.
const once = (make) => {
  let made = null;
  return () => made ??= make();
};
const checker = once(() => WebAssembly.compileStreaming(fetch("exercises.wasm")));
const waiting = once(() => WebAssembly.compileStreaming(fetch("waiting.wasm")));
const binaryen = once(async () => (await import("./binaryen.js")).default);
const precompiled = once(async () => {
  const { body } = await fetch("program.pch.gz");
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
});
const FLAGS = ["clang++", "-std=c++20", "-O1", "-mbulk-memory", "-fno-exceptions", "-nostdlib", "-I.", "-Wall", "-Wextra",
  "-Wl,--no-entry", "-Wl,--allow-undefined", "-Wl,--strip-all", "kernel.cc", "-o", "kernel.wasm"];

async function run(flags, given) {
  let said = "";
  const options = { stdout: () => {}, stderr: (bytes) => { if (bytes) said += text(bytes); } };
  try {
    const files = await runClang(flags, given, options);
    return { files, said };
  } catch (error) {
    return { said: said || String(error) };
  }
}

onmessage = async ({ data: { number, source, answer, program } }) => {
  try {
    if (!fetched) {
      await runLLVM(null, {}, { fetchProgress: ({ totalLength, doneLength }) => postMessage({ number, done: doneLength, all: totalLength }) });
      fetched = true;
    }
    if (source === undefined) {
      const given = { ...(await headers), "program.pch": await precompiled() };
      const made = await compileAnswer(await checker(), given, run, answer ?? program, answer === undefined ? "program" : "answer", binaryen);
      return postMessage({ number, checker: made.waits ? await waiting() : await checker(), ...made });
    }
    const { files, said } = await run(FLAGS, { ...(await headers), "kernel.cc": source });
    postMessage({ number, said, module: files && await WebAssembly.compile(files["kernel.wasm"]) });
  } catch (error) {
    postMessage({ number, said: String(error) });
  }
};
