// The module that runs programs and checks exercises (exercises.wasm), with what it needs around it; in a browser or in Node.

export const text = (bytes) => (typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes));

// Puts a text where the module looks for one.
export function tell(module, words) {
  const bytes = new TextEncoder().encode(words), room = module.room(bytes.length) >>> 0;
  new Uint8Array(module.memory.buffer).set(bytes, room);
}

const TABLE_ROOM = 1 << 16; // for the functions of both modules, answer.js
const BAD_DESCRIPTOR = 8; // of WASI
const FAULT = 6; // fault_status of the CPU device

// All other names of wasi_snapshot_preview1.
const WITHOUT_FILES = ("clock_res_get fd_advise fd_allocate fd_close fd_datasync fd_fdstat_set_flags fd_fdstat_set_rights fd_filestat_get "
  + "fd_filestat_set_size fd_filestat_set_times fd_pread fd_prestat_dir_name fd_prestat_get fd_pwrite fd_readdir fd_renumber fd_seek fd_sync "
  + "fd_tell path_create_directory path_filestat_get path_filestat_set_times path_link path_open path_readlink path_remove_directory "
  + "path_rename path_symlink path_unlink_file poll_oneoff proc_raise sock_accept sock_recv sock_send sock_shutdown").split(" ");
// What WASI has here: a clock, an output, no files and no network. `say(words)` is given what is written; `name` is the program's.
function system(memory, say, exit, name) {
  const bytes = (at, count) => new Uint8Array(memory().buffer, at, count), decoders = {};
  const line = new TextEncoder().encode(`${name}\0`);
  const put = (at, ...numbers) => {
    new Uint32Array(memory().buffer, at, numbers.length).set(numbers);
    return 0;
  };
  const known = {
    ...Object.fromEntries(WITHOUT_FILES.map((name) => [name, () => BAD_DESCRIPTOR])),
    args_sizes_get: (count, size) => put(count, 1) || put(size, line.length),
    args_get(pointers, at) {
      bytes(at, line.length).set(line);
      return put(pointers, at);
    },
    environ_sizes_get: (count, size) => put(count, 0) || put(size, 0),
    environ_get: () => 0,
    clock_time_get(_, __, at) {
      new BigUint64Array(memory().buffer, at, 1)[0] = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
      return 0;
    },
    random_get(at, count) {
      for (let done = 0; done < count; done += 65536) // as many as it gives at once
        crypto.getRandomValues(bytes(at + done, Math.min(65536, count - done)));
      return 0;
    },
    fd_fdstat_get(_, at) {
      bytes(at, 24).fill(0);
      return put(at, 2); // a terminal, as far as it matters
    },
    fd_read: (_, __, ___, read) => put(read, 0), // its end
    fd_write(file, parts, count, written) {
      let all = 0;
      for (let part = 0; part < count; ++part) {
        const [at, size] = new Uint32Array(memory().buffer, parts + 8 * part, 2);
        decoders[file] ??= new TextDecoder(); // a letter may come in two parts
        say(decoders[file].decode(bytes(at, size).slice(), { stream: true }));
        all += size;
      }
      return put(written, all);
    },
    sched_yield: () => 0,
    proc_exit: exit,
  };
  // An address may be past 2 GiB, where WebAssembly has it below zero.
  const unsigned = Object.entries(known).map(([name, call]) => [name,
    (...given) => call(...given.map((one) => (typeof one === "number" ? one >>> 0 : one)))]);
  return { __proto__: null, ...Object.fromEntries(unsigned) }; // constructor is no name of WASI's
}
export const SYSTEM = new Set(Object.keys(system(null, null, null, "")));

// An instance. What it throws is {sentence}, {exit}, or {stop} where only what follows means nothing. `answer(name, arguments)` is
// called for a function of the answer, `launch(program)` where a figure has its program launch something.
export function host(checker, { answer = null, launch = null, report = null, say = null, name = "program" } = {}) {
  let module = null, own = null, about = null, said = "";
  const left = new Map(); // fibers that were left: where the stack of this module ended
  const bytes = (at, count) => new Uint8Array(module.memory.buffer, at >>> 0, count).slice(); // an address may be past 2 GiB
  const string = (at) => text(bytes(at, new Uint8Array(module.memory.buffer).indexOf(0, at >>> 0) - (at >>> 0)));
  const memory = () => module.memory;
  const write = say ?? ((words) => { said += words; });
  ({ exports: module } = new WebAssembly.Instance(checker, {
    wasi_snapshot_preview1: system(memory, write, (code) => { throw say ? { exit: code } : { sentence: said.trim() }; }, name),
    env: new Proxy({}, { get: (_, name) => (...values) => answer(name, values) }),
    page: {
      report: (at, count) => report(JSON.parse(text(bytes(at, count)))),
      launch: () => launch(own ?? module),
      thrown(at) { throw at ? { sentence: string(at) } : { stop: true }; },
      // Where the module went through Asyncify, a call can be left and entered again: its frames go to memory and come back.
      suspends: () => Number(Boolean(module.asyncify_start_unwind)),
      enter(fiber, stack, frames, others, again) {
        const before = module.figures_stack(again ? left.get(fiber) : stack);
        if (again) {
          module.asyncify_start_rewind(frames);
          own?.asyncify_start_rewind(others);
        }
        module.figures_fiber(fiber);
        const unwound = module.asyncify_get_state() === 1;
        if (unwound) {
          module.asyncify_stop_unwind();
          own?.asyncify_stop_unwind();
        }
        left.set(fiber, module.figures_stack(before));
        return Number(!unwound);
      },
      leave(frames, others) {
        if (module.asyncify_get_state() === 2) {
          module.asyncify_stop_rewind();
          own?.asyncify_stop_rewind();
          return;
        }
        module.asyncify_start_unwind(frames);
        own?.asyncify_start_unwind(others);
      },
    },
  }));
  module._initialize();

  // Tells the module of its program, and has an instance of it in its memory and its table, unless it is linked with it.
  function attach(program, told) {
    about = told;
    const table = module.__indirect_function_table;
    table.grow(TABLE_ROOM - table.length);
    own = program && new WebAssembly.Instance(program, {
      env: { ...module, __indirect_function_table: table },
      wasi_snapshot_preview1: system(memory, write, (code) => { throw { exit: code }; }, name),
    }).exports;
    const stack = table.grow(1, (own ?? module).figures_stack);
    tell(module, JSON.stringify({ ...about, stack, linked: !own }));
    module.describe();
    return own;
  }
  // Of the source, as far as the module has come.
  const line = () => about.lines[module.last_site()] ?? 0;
  return { module, string, attach, line };
}

// A mangled name as a reader knows it, without the CPU device's namespace.
export function plain(name) {
  const found = name.match(/^_Z(?:NK?)?(?=\d)/), parts = [];
  for (let at = found?.[0].length ?? name.length, length; (length = parseInt(name.slice(at), 10)) > 0; at = length) {
    const begin = at + String(length).length;
    length += begin;
    parts.push(name.slice(begin, length));
    if (!found[0].includes("N")) break;
  }
  return parts.filter((part) => part !== "cpu_device").join("::") || name;
}

// Tries an answer to the exercise of that number. `report` is called before each step with what is known of the goals. Returns
// null, or how it ended before its end: {sentence, line}.
export function check(checker, { module, about }, number, report) {
  let own = null;
  const here = host(checker, {
    report,
    answer(name, values) {
      if (own[name]) return own[name](...values);
      throw { sentence: `the goals call ${plain(name)}; your file must define it as the starter does.` };
    },
  });
  try {
    own = here.attach(module, about);
    own._initialize();
    tell(here.module, number);
    here.module.check();
  } catch (error) {
    if (!error.stop) {
      const ended = error.exit === undefined ? `it was stopped by the browser (${error.message}).` : `it exited with status ${error.exit}.`;
      return { sentence: error.sentence ?? ended, line: here.line() };
    }
    here.module.conclude();
  }
  return null;
}

// Runs a whole program, whose output goes to `say`, in lines of so many columns. Returns {status}, with {sentence} where it was
// ended, and {line} where that is known; of a `chapter`, {name, ...} and what its fields say, also the {results} of a file.
export function runProgram(checker, { module, about }, { columns, say, chapter }) {
  let last = "";
  const here = host(checker, { name: chapter?.name, say: (words) => {
    last = (last + words).slice(-4096);
    say(words);
  } });
  let status = 0, ended = {};
  try {
    const own = here.attach(module, about);
    if (chapter) tell(here.module, JSON.stringify(chapter));
    here.module.prepare(columns, Boolean(here.module.asyncify_start_unwind));
    try {
      own._start();
    } catch (error) {
      if (error.exit === undefined) throw error;
      status = error.exit;
      const faulty = status === FAULT && last.trim().split("\n").at(-1);
      if (faulty) return { status, sentence: faulty, line: here.line() };
    }
    if (here.module.results) return { status, results: here.string(here.module.results()) };
    say(here.string(here.module.summary()), true);
  } catch (error) {
    if (error.exit !== undefined) return { status: error.exit };
    const sentence = error.sentence ?? `Stopped by the browser: ${error.message}.`;
    ended = { sentence, line: here.line() };
    say(`${sentence}\n`, true);
  }
  return { status, ...ended };
}

// Requests what figures show: figures.cpp, which is linked with the chapters' kernels (tools/book/explore.py), or has a `module` with an
// edited one. Returns ask(question, {figure, ...settings}), which throws as host() does, and what `line()` of the source ran last.
export function figures(checker, { module, about }) {
  let figure = "";
  const here = host(checker, { launch: (own) => own[figure]?.() ?? 0 });
  try {
    here.attach(module, about)?._start();
  } catch (error) {
    if (error.exit === undefined) throw error;
  }
  const ask = (question, settings = {}) => {
    ({ figure } = settings);
    tell(here.module, JSON.stringify({ question, settings }));
    return JSON.parse(here.string(here.module.ask()));
  };
  return { ask, line: here.line };
}
