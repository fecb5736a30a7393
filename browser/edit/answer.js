// An answer to an exercise, or a whole program, becomes a module, in a browser or in Node. The rewriter of the CPU device, in
// exercises.wasm, makes C++ of it; clang has ThreadSanitizer's calls before every access; and as WebAssembly knows no return
// addresses, the assembly says a number with each such call, and before each call of the CPU device or of the runtime.
import { host, plain, SYSTEM, tell, text } from "./checking.js";

export const FLAGS = ["-std=gnu++20", "-O2", "-g1", "-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm",
  "-tsan-instrument-read-before-write=1", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-fno-builtin-memcpy",
  "-fno-builtin-memset", "-fno-threadsafe-statics", "-fdeclspec", "-msimd128", "-mbulk-memory", "-fno-exceptions",
  "-fvisibility=default", "-I."];
// Of a figure each access has its line: none of two branches is made one.
export const APART = ["-mllvm", "-simplifycfg-sink-common=false"];
const PRECOMPILE = ["clang++", "-x", "c++-header", ...FLAGS, "-Xclang", "-fno-pch-timestamp", "program.hpp", "-o", "program.pch"];
const compile = (file) => ["clang++", "-x", "c++", ...FLAGS, "-Xclang", "-fno-pch-timestamp", "-include-pch", "program.pch", "-Wall",
  "-Wextra", "-Wno-unknown-pragmas", "-S", file, "-o", "program.s"];
const TABLE = 32768; // where the program's functions begin in the table that both modules have
const LINK = ["clang++", "-msimd128", "-mbulk-memory", "-Wl,--allow-undefined", "-Wl,--import-memory", "-Wl,--import-table",
  `-Wl,--table-base=${TABLE}`, "-Wl,-z,stack-size=1048576", "-Wl,--no-demangle", "-Wl,-Map=program.map", "program.s", "stack.s", "-o", "program.wasm"];
const linkAs = { answer: [...LINK, "-mexec-model=reactor", "-Wl,--export-dynamic"], program: LINK };
const ACCESS = "__tsan_(?!init)\\w+", CALL = "_ZN10cpu_device\\w+|_Z\\d+cuda\\w+";
// What threads wait in for each other, and what may have them wait in programs that do.
const WAITS = new RegExp("^_ZN10cpu_device(?:7barrier|13warp_exchange|11active_mask|20wait_for_print_order|9lane_bits|13all_lane_bits|"
  + "6ballot|4wait|14count_in_block)|^_Z\\d+__reduce_\\w+_sync");
const MAY_WAIT = new RegExp(`${WAITS.source}|^__tsan_(?!init)|^_ZN10cpu_device\\d+atomic_`);
// What a kernel may wait on in a loop: where others do not get their turn, its accesses would fill the memory.
const SPINS = /\b(?:volatile|atomicCAS|atomicExch)\b/;
const ROOM = 64 << 20; // browser/exercises/host.hpp

// Addresses of data that the module which runs a chapter has (tables of virtual functions): globals, where the assembly has symbols.
function withGlobals(assembly, known) {
  const defined = new Set([...assembly.matchAll(/^([\w.$]+):$/gm)].map(([, label]) => label)), wanted = new Set();
  const made = assembly.replace(/^\ti32\.const\t([A-Za-z_][\w.$]*)(?:([+-]\d+))?$/gm, (all, name, offset) => {
    if (defined.has(name) || known.get(name) !== "global") return all;
    wanted.add(name);
    return `\tglobal.get\tfigures_at_${name}${offset ? `\n\ti32.const\t${Number(offset)}\n\ti32.add` : ""}`;
  });
  const told = [...wanted].map((name) => `\t.globaltype\tfigures_at_${name}, i32, immutable\n\t.import_module\tfigures_at_${name}, env\n`
    + `\t.import_name\tfigures_at_${name}, ${name}\n`);
  return told.join("") + made;
}

// The assembly with its numbers, and the line of the source that each belongs to, 0 where none does. A figure's source has files
// of its chapter in it.
export function numbered(assembly) {
  const own = new Set([...assembly.matchAll(/^\t\.file\t(\d+) (?:"[^"]*" )?"[^"]*\.cuh?"/gm)].map(([, file]) => file));
  const lines = [0];
  let line = 0, called = false;
  const calls = new RegExp(`^\\t(?:\\.loc\\t(\\d+) (\\d+) .*|call\\t(?:(${ACCESS})|${CALL}))$`, "gm");
  const types = new RegExp(`^(\\t\\.functype\\t${ACCESS} \\()([^)]*)\\)`, "gm");
  const made = assembly.replace(calls, (all, file, number, access) => {
    if (file !== undefined) {
      if (own.has(file)) line = Number(number);
      return all;
    }
    const site = lines.push(line) - 1;
    if (!access) lines.push(line); // an asynchronous copy is a load, and a store at the place behind it
    called ||= !access;
    return `\ti32.const\t${site}\n${access ? "" : "\tcall\tfigures_at\n"}${all}`;
  }).replace(types, (_, head, parameters) => `${head}${parameters && `${parameters}, `}i32)`);
  return { made: `${called ? "\t.functype\tfigures_at (i32) -> ()\n" : ""}${made}`, lines };
}

// Where the linker has put what, by its map: for describe_program() of browser/exercises/host.cpp.
export function places(map) {
  const out = new Map(), variables = [];
  let inside = null;
  for (const row of map.split("\n")) {
    const found = row.match(/^\s*([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+) (\s*)(.*)$/);
    if (!found) continue;
    const [, address, , size, indent, what] = found, begin = parseInt(address, 16), bytes = parseInt(size, 16);
    if (!indent) {
      inside = what;
      out.set(what, [begin, bytes]);
    } else if (inside === "cpu_device_shared" && indent.length >= 16) {
      variables.push([what, begin - out.get(inside)[0], bytes]);
    }
  }
  return { out, variables };
}

// The headers in front of every program, compiled when the site is built (precompile.js): files and what clang said.
export const precompile = (headers, run) => run(PRECOMPILE, headers);

// The module with calls that can be left half done and entered again.
function asyncified(binaryen, bytes, names) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(binaryen.Features.All & ~binaryen.Features.CompactImports); // no browser reads those yet
  binaryen.setPassArgument("asyncify-imports", names.map((name) => `env.${name}`).join(","));
  module.runPasses(["asyncify"]);
  return module.emitBinary();
}

const REFUSED = [
  [/^\s*#\s*include\s*<(?:thread|mutex|shared_mutex|future|condition_variable|semaphore|latch|barrier|stop_token|pthread\.h|omp\.h)>/m,
    "A page cannot start host threads."],
  [/^\s*#\s*include\s*<(?:fstream|filesystem|sys\/\w+\.h|unistd\.h|fcntl\.h)>|\bfopen\s*\(/m, "A page cannot access files."],
  [/^\s*#\s*include\s*<(?:cub|thrust|cublas\w*|cufft\w*|curand\w*|cusparse\w*|cusolver\w*|nccl|nvml|cutlass|cuda\/\w+)[/.>]/m,
    "A page has no CUDA libraries."],
  [/\basm\b[^;]*%%\w/, "A page has no PTX special registers."],
];
export const refusal = (source) => REFUSED.find(([pattern]) => pattern.test(source))?.[1];

// {module, about, said} or {said}. `run(arguments, files)` is clang: {files, said}, without files where it fails. `headers` has
// what precompile() made. `as` is "answer", "program", "figure", or a chapter's name. `binaryen()` is requested where threads wait for each
// other (`waits`). What it runs in is `engine`.
export async function compileAnswer(checker, headers, run, source, as, binaryen, engine = checker) {
  const rewriter = host(checker), name = `${as}.cu`, exported = WebAssembly.Module.exports(engine);
  const known = new Map(exported.map((one) => [one.name, one.kind]));
  let said = "";
  try {
    if (as === "program" && refusal(source)) throw { sentence: `${refusal(source)} On your machine, ./run FILE runs such a program.` };
    tell(rewriter.module, source);
    const written = rewriter.string(rewriter.module.rewrite());
    const compiled = await run([...compile(name), ...(as === "figure" ? APART : [])], { ...headers, [name]: written });
    said = compiled.said;
    if (!compiled.files) return { said };
    const { made, lines } = numbered(withGlobals(text(compiled.files["program.s"]), known));
    const linked = await run(linkAs[as] ?? LINK, { ...headers, "program.s": made });
    said += linked.said;
    if (!linked.files) return { said: said.replace(/^.*undefined symbol: (?:main|__main_argc_argv|__main_void)$/gm, "The program has no main().") };
    let bytes = linked.files["program.wasm"], module = await WebAssembly.compile(bytes);
    const wanted = WebAssembly.Module.imports(module).filter((one) => one.kind === "function");
    const missing = wanted.filter((one) => one.module === "env" ? !known.has(one.name) : one.module !== "wasi_snapshot_preview1" || !SYSTEM.has(one.name));
    if (missing.length) {
      const names = missing.map((one) => one.module === "env" ? plain(one.name) : `${one.module}.${one.name}`);
      throw { sentence: `A page has no ${names.join(", ")}.` };
    }
    const imports = wanted.filter((one) => one.module === "env").map((one) => one.name);
    const waits = imports.some((name) => WAITS.test(name)) || SPINS.test(source);
    if (waits) {
      bytes = asyncified(await binaryen(), bytes, imports.filter((name) => MAY_WAIT.test(name)));
      module = await WebAssembly.compile(bytes);
    }
    const { out, variables } = places(text(linked.files["program.map"]));
    const segment = (key) => out.get(key) ?? [0, 0], end = Math.max(...[...out.values()].map(([begin, size]) => begin + size));
    if (end > ROOM) throw { sentence: `The program's variables need more than the page's ${ROOM >> 20} MiB: allocate large arrays dynamically.` };
    const data = segment(".data")[0] || segment(".bss")[0];
    return { said, module, bytes, waits, about: { file: name, lines, data: [data, end - data], shared: segment("cpu_device_shared"),
      constants: segment("cpu_device_constant"), others: [[1024, Math.max(0, data - 1024)]], variables } };
  } catch (error) {
    return { said: (error.sentence ?? String(error)).replace(/^answer\.cu/gm, name) };
  }
}
