// The compiler, in a worker of its own: clang as WebAssembly, fetched once, when a reader first runs what he has written.
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
const module = (name) => once(() => WebAssembly.compileStreaming(fetch(`${name}.wasm`)));
const checker = module("exercises");
const ENGINES = { answer: [checker, module("waiting")], figure: [module("figures"), module("figures_waiting")] };
const binaryen = once(async () => (await import("./binaryen.js")).default);
const precompiled = once(async () => {
  const { body } = await fetch("program.pch.gz");
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
});

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

onmessage = async ({ data: { number, source, as } }) => {
  try {
    if (!fetched) {
      const progress = { fetchProgress: ({ totalLength, doneLength }) => postMessage({ number, done: doneLength, all: totalLength }) };
      await Promise.all([runLLVM(null, {}, progress), precompiled(), checker()]);
      fetched = true;
    }
    const given = { ...(await headers), "program.pch": await precompiled() };
    const [engine, waiting] = ENGINES[as] ?? ENGINES.answer;
    const made = await compileAnswer(await checker(), given, run, source, as, binaryen, await engine());
    postMessage({ number, checker: await (made.waits ? waiting : engine)(), ...made });
  } catch (error) {
    postMessage({ number, said: String(error) });
  }
};
