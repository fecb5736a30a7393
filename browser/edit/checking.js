// The module that checks exercises (exercises.wasm), with what it needs around it; in a browser or in Node.

export const text = (bytes) => (typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes));

// Puts a text where the module looks for one.
export function tell(module, words) {
  const bytes = new TextEncoder().encode(words), room = module.room(bytes.length);
  new Uint8Array(module.memory.buffer).set(bytes, room);
}

// An instance. What it throws is {sentence}, or {stop} where only what follows means nothing. `answer(name, arguments)` is called
// for a function of the answer.
export function host(checker, { answer = null, thread = null, report = null } = {}) {
  let module = null, said = "";
  const view = () => new DataView(module.memory.buffer);
  const bytes = (at, count) => new Uint8Array(module.memory.buffer, at, count).slice();
  const string = (at) => {
    const memory = new Uint8Array(module.memory.buffer);
    return text(memory.slice(at, memory.indexOf(0, at)));
  };
  const system = {
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    clock_time_get(_, __, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_fdstat_get(_, at) {
      new Uint8Array(module.memory.buffer, at, 24).fill(0);
      view().setUint8(at, 2); // a terminal, as far as it matters
      return 0;
    },
    fd_write(_, parts, count, written) {
      let all = 0;
      for (let part = 0; part < count; ++part) {
        const at = view().getUint32(parts + 8 * part, true), size = view().getUint32(parts + 8 * part + 4, true);
        said += text(bytes(at, size));
        all += size;
      }
      view().setUint32(written, all, true);
      return 0;
    },
    proc_exit() { throw { sentence: said.trim() }; },
  };
  const others = (known) => new Proxy(known, { get: (target, name) => target[name] ?? (() => 8) }); // "bad descriptor"
  ({ exports: module } = new WebAssembly.Instance(checker, {
    wasi_snapshot_preview1: others(system),
    env: new Proxy({}, { get: (_, name) => (...values) => answer(name, values) }),
    page: {
      thread: (body, context) => thread(body, context),
      report: (at, count) => report(JSON.parse(text(bytes(at, count)))),
      thrown(at) { throw at ? { sentence: string(at) } : { stop: true }; },
    },
  }));
  module._initialize();
  return { module, string };
}

// Tries an answer to the exercise of that number. `report` is called before each step with what is known of the goals. Returns
// null, or how it ended before its end: {sentence, line}.
export function check(checker, { module, lines }, number, report) {
  let own = null;
  const here = host(checker, {
    report,
    thread: (body, context) => own.figures_thread(body, context),
    answer(name, values) {
      if (own[name]) return own[name](...values);
      const known = name.match(/^_Z(\d+)/);
      const plain = known ? name.substr(2 + known[1].length, Number(known[1])) : name;
      throw { sentence: `the goals call ${plain}; your file has to define it as the starter does.` };
    },
  });
  try {
    own = new WebAssembly.Instance(module, { env: { ...here.module } }).exports;
    own.__wasm_call_ctors?.();
    tell(here.module, number);
    here.module.check();
  } catch (error) {
    if (!error.stop) {
      return { sentence: error.sentence ?? `it was ended by the browser (${error.message}).`, line: lines[here.module.last_site()] ?? 0 };
    }
    here.module.conclude();
  }
  return null;
}
