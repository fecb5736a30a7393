// The compiler, in a worker of its own: clang as WebAssembly, fetched once, when a reader first runs a kernel of his own.
import { runClang, runLLVM } from "./bundle.js";

let fetched = false;
const headers = fetch("headers.json").then((answer) => answer.json());
const FLAGS = ["clang++", "-std=c++20", "-O1", "-mbulk-memory", "-fno-exceptions", "-nostdlib", "-I.", "-Wall", "-Wextra",
  "-Wl,--no-entry", "-Wl,--allow-undefined", "-Wl,--strip-all", "kernel.cc", "-o", "kernel.wasm"];

onmessage = async ({ data: { number, source } }) => {
  let said = "";
  const options = {
    stdout: () => {},
    stderr: (bytes) => { if (bytes) said += new TextDecoder().decode(bytes); },
  };
  try {
    if (!fetched) {
      await runLLVM(null, {}, { fetchProgress: ({ totalLength, doneLength }) => postMessage({ number, done: doneLength, all: totalLength }) });
      fetched = true;
    }
    const made = await runClang(FLAGS, { ...(await headers), "kernel.cc": source }, options);
    postMessage({ number, said, module: await WebAssembly.compile(made["kernel.wasm"]) });
  } catch (error) {
    postMessage({ number, said: said || String(error) });
  }
};
