// An answer to an exercise becomes a module, in a browser or in Node. The rewriter of the CPU device, in exercises.wasm, makes
// C++ of it; clang has ThreadSanitizer's calls before every access; and as WebAssembly knows no return addresses, each such call
// gets its number in the assembly as one argument more.
import { host, tell, text } from "./checking.js";

const COMPILE = ["clang++", "-x", "c++", "-std=c++20", "-O2", "-g1", "-Xclang", "-fsanitize=thread", "-mllvm",
  "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-read-before-write=1", "-fno-vectorize", "-fno-slp-vectorize",
  "-fno-unroll-loops", "-fno-builtin-memcpy", "-fno-builtin-memset", "-fdeclspec", "-msimd128", "-mbulk-memory", "-fno-exceptions",
  "-fvisibility=default", "-I.", "-include", "cuda_runtime.h", "-Wall", "-Wextra", "-S", "answer.cu", "-o", "answer.s"];
const LINK = ["clang++", "-msimd128", "-mbulk-memory", "-nostdlib", "-Wl,--no-entry", "-Wl,--allow-undefined", "-Wl,--import-memory",
  "-Wl,--export-dynamic", "-Wl,--export=__wasm_call_ctors", "-Wl,-z,stack-size=1048576", "answer.s", "-o", "answer.wasm"];
const TOLD = "(?:__tsan_(?!init)\\w+|figures_(?:local_memory|next_round|need_loaded|loads_pass_stores))";

// The assembly with numbered calls, and the line of the source that each belongs to, 0 where none does.
function numbered(assembly) {
  const own = assembly.match(/^\t\.file\t(\d+) (?:"[^"]*" )?"answer\.cu"/m)?.[1];
  const lines = [0];
  let line = 0;
  const calls = new RegExp(`^\\t(?:\\.loc\\t(\\d+) (\\d+) .*|call\\t${TOLD})$`, "gm");
  const types = new RegExp(`^(\\t\\.functype\\t${TOLD} \\()([^)]*)\\)`, "gm");
  const made = assembly.replace(calls, (all, file, number) => {
    if (file !== undefined) {
      if (file === own) line = Number(number);
      return all;
    }
    lines.push(line);
    return `\ti32.const\t${lines.length - 1}\n${all}`;
  }).replace(types, (_, head, parameters) => `${head}${parameters && `${parameters}, `}i32)`);
  return { made, lines };
}

// {module, lines, said} or {said}. `run(arguments, files)` is clang: {files, said}, without files where it fails.
export async function compileAnswer(checker, headers, run, source) {
  const rewriter = host(checker);
  let said = "";
  try {
    tell(rewriter.module, source);
    const written = rewriter.string(rewriter.module.rewrite());
    const compiled = await run(COMPILE, { ...headers, "answer.cu": written });
    said = compiled.said;
    if (!compiled.files) return { said };
    const { made, lines } = numbered(text(compiled.files["answer.s"]));
    const linked = await run(LINK, { "answer.s": made });
    said += linked.said;
    if (!linked.files) return { said };
    return { said, lines, module: await WebAssembly.compile(linked.files["answer.wasm"]) };
  } catch (error) {
    return { said: error.sentence ?? String(error) };
  }
}
