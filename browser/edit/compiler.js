// The compiler, in a worker of its own: clang as WebAssembly, fetched once, when a reader first runs what he has written. An edited
// kernel of a figure is C++ already (`source`); an answer to an exercise is a .cu file (`answer`).
import { compileAnswer } from "./answer.js";
import { runClang, runLLVM } from "./bundle.js";
import { text } from "./checking.js";

let fetched = false, checker = null;
const headers = fetch("headers.json").then((answer) => answer.json());
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

onmessage = async ({ data: { number, source, answer } }) => {
  try {
    if (!fetched) {
      await runLLVM(null, {}, { fetchProgress: ({ totalLength, doneLength }) => postMessage({ number, done: doneLength, all: totalLength }) });
      fetched = true;
    }
    if (answer !== undefined) {
      checker ??= await WebAssembly.compileStreaming(fetch("exercises.wasm"));
      const made = await compileAnswer(checker, await headers, run, answer);
      return postMessage({ number, checker, ...made });
    }
    const { files, said } = await run(FLAGS, { ...(await headers), "kernel.cc": source });
    postMessage({ number, said, module: files && await WebAssembly.compile(files["kernel.wasm"]) });
  } catch (error) {
    postMessage({ number, said: String(error) });
  }
};
