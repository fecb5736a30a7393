"use strict";
// Figures that answer: sliders before the module (figures_module.js) that counts and models what they say, in the page.
// Without scripts, and on paper, the drawn figures stay alone.
(() => {
  const sections = document.querySelectorAll("section[data-figure]");
  if (!sections.length) return;

  const { editing } = window, { make } = editing;
  const grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  const few = (number) => (number < 1e4 ? Number(number.toPrecision(4)).toString() : grouped(number));
  const plural = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

  // --- the module -----------------------------------------------------------------------------------

  let loading = null, compiled = null;
  function load() { // once, when the first of the figures comes near
    loading ??= new Promise((resolve, reject) => {
      const script = make("script", { src: "figures_module.js" });
      script.onload = () => resolve(window.figuresModule);
      script.onerror = () => reject(new Error("figures_module.js is not next to this page."));
      document.head.append(script);
    }).then(async (text) => {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const none = new Proxy({}, { get: () => () => 8 }); // it opens no file: "bad descriptor"
      compiled = await WebAssembly.compile(bytes);
      const { exports: module } = await WebAssembly.instantiate(compiled, { wasi_snapshot_preview1: none, env: { figures_edited() {} } });
      module._initialize();
      return (question, settings = {}) => {
        const words = [question, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)].join(" ");
        const typed = new TextEncoder().encode(`${words}\0`);
        const room = module.room(typed.length);
        new Uint8Array(module.memory.buffer).set(typed, room);
        const at = module.ask(room), memory = new Uint8Array(module.memory.buffer);
        return JSON.parse(new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at))));
      };
    });
    return loading;
  }
  window.askFigures = async (question, settings) => (await load())(question, settings);

  // --- an edited kernel -------------------------------------------------------------------------------

  // As kernels.py does it for the chapters' own: each access is told, and lines keep their numbers.
  const rewritten = (code) => code.replace(/\b(const )?(\w+(?:<\w+>)?)\*(?=[ >])/g, "Pointer<$1$2>")
    .replaceAll("reinterpret_cast<", "static_cast<").replaceAll("__restrict__", "")
    .replace(/\bsizeof\((\w+)\[0\]\)/g, "sizeof(typename decltype($1)::Type)")
    .replace(/__shared__ (\w+) (\w+)\[([^\]]+)\]\[([^\]]+)\];/g, "SharedArray<$1, $3, $4> $2;")
    .replace(/__shared__ (\w+) (\w+)\[([^\]]+)\];/g, "SharedArray<$1, $3> $2;");

  function sourceOf(code, text, settings) {
    const lists = { ac: "array<const float>(0), array<float>(1)", abc: "array<const float>(0), array<const float>(1), array<float>(2)" };
    const call = code.call.replace(/{(\w+)}/g, (_, name) => lists[name] ?? settings[name]);
    const part = (file, first, lines) => `#line ${first} "${file}"\n${rewritten(lines)}\n`;
    return `#include "browser/lanes.hpp"\nnamespace figures::edited {\n${code.before.map(({ file, first, lines }) => part(file, first, lines.join("\n"))).join("")}`
      + `${part(code.file, code.first, text)}}\n#line 1 "the call of the kernel"\nusing namespace figures;\nusing namespace figures::edited;\n`
      + 'extern "C" __attribute__((export_name("kernel"))) void kernel(unsigned tx, unsigned ty, unsigned bx, unsigned by, unsigned dx, '
      + "unsigned dy, unsigned gx, unsigned gy, std::size_t n, [[maybe_unused]] std::size_t more)\n{\n    threadIdx = {tx, ty}; blockIdx = {bx, by}; "
      + `blockDim = {dx, dy}; gridDim = {gx, gy};\n    ${call};\n}\n`;
  }

  const LIMIT = 20; // seconds that an edited kernel may run
  class Editor {
    constructor(figure, code, show) {
      this.figure = figure;
      this.code = code;
      this.show = show;
      this.edit = make("button", { type: "button" }, "Edit this kernel");
      this.run = make("button", { type: "button", hidden: "" }, "Run");
      this.stop = make("button", { type: "button", hidden: "" }, "Stop");
      this.close = make("button", { type: "button", hidden: "" }, "Back to the chapter's kernel");
      this.said = make("p", { class: "busy", role: "status" });
      this.output = make("pre", { class: "compiler", hidden: "", tabindex: "0", role: "group", "aria-label": "What the compiler says" });
      this.verdict = make("p", { class: "verdict", role: "status" });
      this.element = make("div", { class: "editing" }, make("div", { class: "steps" }, this.edit, this.run, this.stop, this.close), this.said,
        this.output, this.verdict);
      this.edit.addEventListener("click", () => this.open());
      this.run.addEventListener("click", () => this.go());
      this.running = new editing.Running(this.stop, this.said);
      this.close.addEventListener("click", () => this.leave());
    }

    get editing() { return !this.close.hidden; }

    async open() {
      try {
        this.of = this.code.sources[this.values.kernel];
        const create = await editing.load();
        this.view = create(this.of.lines.join("\n"), this.of.first, () => { this.verdict.textContent = ""; });
        this.code.element.replaceWith(this.view.element);
        this.edit.hidden = true;
        this.run.hidden = this.close.hidden = false;
        this.said.textContent = `Run compiles it here; ${editing.fetchedOnce()}`;
        this.view.element.querySelector(".cm-content").focus();
      } catch (error) {
        this.said.textContent = error.message;
      }
    }

    leave() {
      this.running.end("");
      this.view.element.replaceWith(this.code.element);
      this.edit.hidden = false;
      this.run.hidden = this.close.hidden = this.output.hidden = true;
      this.verdict.textContent = "";
      this.changed();
    }

    async go() {
      const values = { ...this.values };
      this.verdict.textContent = "";
      this.output.hidden = true;
      this.view.tell([]);
      const made = await this.running.compile({ source: sourceOf(this.of, this.view.text(), values) });
      if (!made) return;
      editing.tell(this.view, this.output, made.said);
      if (!made.module) return this.running.end("It does not compile.");
      this.said.textContent = "Running …";
      const size = values.rows ? { rows: 96, columns: 80 } : { n: 1009 };
      const words = (question, more) => [question, "edited=1", ...Object.entries({ ...values, ...more }).map(([name, value]) => `${name}=${value}`)].join(" ");
      const questions = [words("requests"), words("run", size), words("time")];
      const answers = [];
      this.running.start("edit/runner.js", { figures: compiled, edited: made.module, questions }, LIMIT, {
        hear: ({ answer, error }) => {
          if (error) return this.running.end(`It was ended by the browser: ${error}.`);
          answers.push(answer);
          this.show(values, answers[0].requests, answers[2]);
          if (answers[1]) this.verify(answers[1], { ...values, ...size });
          if (answers.length === questions.length) this.running.end("");
        },
        late: () => this.running.end(`It was stopped after ${LIMIT} seconds: does a loop end?`),
        failed: () => this.running.end("It could not be run."),
      });
    }

    async verify({ sum, fault, line }, settings) {
      const size = settings.rows ? `${settings.rows} x ${settings.columns} elements` : `${grouped(settings.n)} elements`;
      if (fault) {
        this.view.tell([{ line, severity: "error", message: fault }]);
        this.verdict.textContent = `Fault in line ${line}, with ${size}: ${fault}`;
        return;
      }
      const wanted = (await load())("run", settings).sum;
      this.verdict.textContent = sum === wanted ? `Verified with ${size}: it computes what the chapter's kernel does.`
        : `WRONG: with ${size} it does not compute what the chapter's kernel does.`;
    }
  }

  // --- requests -------------------------------------------------------------------------------------

  // One request after the other: lanes, and what they touch. Points at a lane or a sector by mouse or keyboard.
  class Requests {
    constructor(code) {
      this.code = code;
      this.back = make("button", { type: "button" }, "◀ Before");
      this.next = make("button", { type: "button" }, "Next ▶");
      this.where = make("p", { class: "request", role: "status" });
      this.lanes = make("div", { class: "lanes", role: "group", tabindex: "0",
        "aria-label": "The 32 lanes of the warp; arrow keys go from one to the next" });
      this.memory = make("div", { class: "memory", role: "group", tabindex: "0", "aria-label": "What they touch" });
      this.pointed = make("p", { class: "pointed", role: "status" });
      this.element = make("div", {}, make("div", { class: "steps" }, this.back, this.next, this.where),
        this.lanes, this.memory, this.pointed);
      this.back.addEventListener("click", () => this.show(this.at - 1));
      this.next.addEventListener("click", () => this.show(this.at + 1));
      this.lanes.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        this.point(((this.lane ?? (step > 0 ? -1 : 32)) + step + 32) % 32);
      });
      this.lanes.addEventListener("pointerover", (event) => {
        const lane = event.target.dataset?.lane;
        if (lane !== undefined) this.point(Number(lane));
      });
      this.memory.addEventListener("pointerover", (event) => {
        const place = event.target.closest("[data-place]");
        if (place) this.pointPlace(place);
      });
      for (const part of [this.lanes, this.memory]) part.addEventListener("pointerleave", () => this.point(null));
      this.lanes.addEventListener("blur", () => this.point(null));
    }

    set(requests, first) {
      const same = this.requests && requests.length === this.requests.length;
      this.requests = requests;
      this.arrays = requests.some((r) => r.array === 2) ? "abc" : "ac"; // as the chapters call them
      const wanted = first ? requests.findIndex((r) => `${r.space} ${r.access}` === first) : 0;
      this.show(same ? this.at : Math.max(0, wanted));
    }

    show(at) {
      this.at = Math.max(0, Math.min(at, this.requests.length - 1));
      const request = this.requests[this.at];
      this.back.disabled = this.at === 0;
      this.next.disabled = this.at === this.requests.length - 1;
      this.lane = null;
      if (!request) {
        this.where.textContent = "The first warp makes no request.";
        this.lanes.replaceChildren();
        this.memory.replaceChildren();
        return;
      }
      this.code?.mark(request.line);
      const asked = request.offsets.filter((offset) => offset !== null).length;
      const line = request.line ? `, line ${request.line}` : "";
      const where = request.space === "shared" ? "shared memory" : request.allocation ? `allocation ${request.allocation}` : this.arrays[request.array];
      const what = `Request ${this.at + 1} of ${this.requests.length}: a ${request.access} of ${where}${line}. `;
      this.where.textContent = what + (request.space === "shared" ? this.waves(request, asked) : this.moved(request, asked));
      this.lanes.replaceChildren(...request.offsets.map((offset, lane) => make("span",
        { "data-lane": lane, class: offset === null ? "idle" : "takes" }, String(lane))));
      this.memory.className = `memory ${request.space}`;
      this.memory.replaceChildren(...(request.space === "shared" ? this.banks(request) : this.sectors(request)));
      this.point(null);
    }

    moved(request, lanes) {
      const bytes = new Set();
      for (const offset of request.offsets) {
        for (let byte = 0; offset !== null && byte < request.bytes; ++byte) bytes.add(offset + byte);
      }
      const moved = 32 * request.sectors.length, asked = lanes * request.bytes;
      return `${plural(lanes, "lane")} ask${lanes === 1 ? "s" : ""} for ${plural(asked, "byte")}; ${plural(request.sectors.length, "sector")}`
        + ` = ${grouped(moved)} bytes move: ${Math.round(100 * bytes.size / moved)} % of them are used.`;
    }

    waves(request, lanes) {
      const words = request.wavefronts.flat().filter((lane) => lane !== null).length;
      return `${plural(lanes, "lane")} want${lanes === 1 ? "s" : ""} ${plural(words, "word")}: ${plural(request.wavefronts.length, "wavefront")}, `
        + `${grouped(request.conflicts)} of them for conflicts.`;
    }

    sectors(request) {
      const parts = [];
      let before = null;
      for (const number of request.sectors) {
        if (before !== null && number !== before + 1) parts.push(make("span", { class: "skipped" }, "…"));
        const words = [];
        for (let word = 0; word < 8; ++word) {
          const begin = 32 * number + 4 * word;
          const used = request.offsets.some((o) => o !== null && o < begin + 4 && begin < o + request.bytes);
          words.push(make("i", { class: used ? "used" : "unused" }));
        }
        parts.push(make("span", { class: `sector${number % 4 === 0 ? " line" : ""}`, "data-place": number },
          make("b", {}, grouped(32 * number)), ...words));
        before = number;
      }
      return parts;
    }

    banks(request) {
      const head = make("div", { class: "wave", "aria-hidden": "true" },
        ...Array.from({ length: 32 }, (_, bank) => make("b", {}, String(bank))));
      return [head, ...request.wavefronts.map((wave) => make("div", { class: "wave" },
        ...wave.map((lane, bank) => make("i", { "data-place": bank, "data-of": lane ?? undefined,
          class: lane === null ? "rests" : "used" }, lane === null ? "" : String(lane)))))];
    }

    places(lane) { // that the lane touches
      const request = this.requests[this.at], offset = request.offsets[lane];
      if (offset === null) return [];
      if (request.space === "shared") {
        return Array.from({ length: Math.ceil(request.bytes / 4) }, (_, word) => (Math.floor(offset / 4) + word) % 32);
      }
      const places = [];
      for (let sector = Math.floor(offset / 32); 32 * sector < offset + request.bytes; ++sector) places.push(sector);
      return places;
    }

    point(lane) {
      this.lane = lane;
      const request = this.requests[this.at];
      const places = lane === null || !request ? [] : this.places(lane);
      this.light((other) => other === lane, (place) => places.includes(Number(place.dataset.place))
        && (request.space === "global" || place.dataset.of === String(lane)));
      if (lane === null || !request) {
        this.pointed.textContent = "Point at a lane, or at what it touches.";
        return;
      }
      const offset = request.offsets[lane], end = offset + request.bytes - 1;
      const bytes = end > offset ? `bytes ${grouped(offset)} to ${grouped(end)}` : `byte ${grouped(offset)}`;
      this.pointed.textContent = offset === null ? `Lane ${lane} takes no part.`
        : request.space === "shared" ? `Lane ${lane}: ${bytes} of shared memory, bank ${places.join(", ")}.`
          : `Lane ${lane}: ${bytes} of it, in the sector${places.length > 1 ? "s" : ""} from byte ${places.map((s) => grouped(32 * s)).join(", ")} on.`;
    }

    pointPlace(element) {
      const place = Number(element.dataset.place), request = this.requests[this.at], lanes = [];
      for (let lane = 0; lane < 32; ++lane) if (this.places(lane).includes(place)) lanes.push(lane);
      this.light((lane) => lanes.includes(lane), (other) => Number(other.dataset.place) === place);
      this.pointed.textContent = `${request.space === "shared" ? `Bank ${place}` : `The sector from byte ${grouped(32 * place)} on`}: `
        + `${lanes.length === 1 ? "lane" : "lanes"} ${lanes.join(", ") || "none"}.`;
    }

    light(ofLane, ofPlace) {
      for (const lane of this.lanes.children) lane.classList.toggle("lit", ofLane(Number(lane.dataset.lane)));
      for (const place of this.memory.querySelectorAll("[data-place]")) place.classList.toggle("lit", ofPlace(place));
    }
  }

  // The kernel's source, with the line of the request that is shown.
  class Code {
    constructor(sources) {
      this.sources = sources;
      this.element = make("pre", { class: "explore-code", tabindex: "0", role: "group", "aria-label": "The kernel" });
    }

    show(kernel) {
      const { first, lines } = this.sources[kernel];
      this.first = first;
      this.element.replaceChildren(...lines.map((line, at) => make("span", { class: "code-line" },
        make("span", { class: "line-number", "aria-hidden": "true" }, String(first + at)), `${line}\n`)));
    }

    mark(line) {
      const now = this.element.children[line - this.first];
      for (const other of this.element.children) other.classList.toggle("now", other === now);
      if (!now) return;
      const low = now.offsetTop, box = this.element;
      if (low < box.scrollTop || low + now.offsetHeight > box.scrollTop + box.clientHeight) {
        box.scrollTop = low - box.clientHeight / 2;
      }
    }
  }

  // --- settings -------------------------------------------------------------------------------------

  // Sliders and choices, whose state is in the page's address.
  class Settings {
    constructor(name, settings, changed) {
      this.name = name;
      this.values = {};
      this.fields = new Map();
      this.element = make("form", { class: "settings" });
      this.element.addEventListener("submit", (event) => event.preventDefault());
      this.changed = changed;
      for (const setting of settings) this.element.append(this.field(setting));
    }

    field(setting) {
      const id = `explore-${this.name}-${setting.name}`;
      const values = setting.values
        ?? Array.from({ length: (setting.to - setting.from) / (setting.step ?? 1) + 1 }, (_, at) => setting.from + at * (setting.step ?? 1));
      const shown = (at) => String(setting.words?.[at] ?? values[at]);
      let input, set;
      if (setting.words || setting.values?.some((value) => typeof value === "string")) {
        input = make("select", { id }, ...values.map((_, at) => make("option", { value: at }, shown(at))));
        set = (at) => { input.value = at; };
      } else {
        input = make("input", { id, type: "range", min: 0, max: values.length - 1, step: 1 });
        const output = make("output", { for: id });
        set = (at) => {
          input.value = at;
          input.setAttribute("aria-valuetext", shown(at));
          output.textContent = shown(at);
        };
        input.output = output;
      }
      const choose = (at) => {
        set(at);
        this.values[setting.name] = values[at];
      };
      choose(Math.max(0, values.indexOf(setting.value)));
      input.addEventListener(input.output ? "input" : "change", () => {
        choose(Number(input.value));
        this.note();
        this.changed();
      });
      this.fields.set(setting.name, (text) => {
        const at = values.findIndex((value) => String(value) === text);
        if (at >= 0) choose(at);
      });
      return make("p", {}, make("label", { for: id }, setting.label), input, ...(input.output ? [input.output] : []));
    }

    note() { // so that the address shows what is seen
      const words = Object.entries(this.values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
      history.replaceState(null, "", `#explore-${this.name}?${words}`);
    }

    read() { // true if the address is of this figure
      const [name, words = ""] = location.hash.slice(1).split("?");
      if (name !== `explore-${this.name}`) return false;
      for (const word of words.split("&")) {
        const [key, value = ""] = word.split("=");
        try {
          this.fields.get(key)?.(decodeURIComponent(value));
        } catch { /* a damaged address: that setting stays */ }
      }
      return true;
    }
  }

  // --- the kinds of figures --------------------------------------------------------------------------

  const LIMITS = { blocks: "the launch of blocks", latency: "latency", lsu: "the load-store units", shared: "shared memory",
    constant: "the constant cache", issue: "the issue of instructions", l2: "L2", dram: "DRAM", atomics: "atomics", link: "the link" };

  function row(head, value, note = "") {
    return make("tr", {}, make("th", { scope: "row" }, head), make("td", {}, value), make("td", { class: "note" }, note));
  }

  function access(figure, body) {
    const code = new Code(figure.code), requests = new Requests(code);
    const counted = make("table", { class: "answer" }), busy = make("p", { class: "busy", role: "status" });
    const editor = new Editor(figure, code, (settings, made, modelled) => {
      requests.set(made, figure.first);
      counted.replaceChildren();
      if (modelled) tabulate(settings, modelled);
    });
    body.append(code.element, ...(figure.edit && Object.values(figure.code)[0].call ? [editor.element] : []), requests.element, counted, busy);
    let timer = 0, turn = 0, last = null;
    editor.changed = () => answer(...last);
    const answer = async (values, ask) => {
      last = [values, ask];
      const mine = ++turn, settings = { ...figure.fixed, ...values };
      if (settings.used === "all") settings.used = settings.fields;
      if (figure.fixed.bytes) settings.n = figure.fixed.bytes / (settings.word === 2 ? 2 : 1);
      const other = editor.values?.kernel !== settings.kernel;
      editor.values = settings;
      if (editor.editing && !other) {
        editor.end("Run it again: the settings have changed.");
        return;
      }
      if (editor.editing) editor.leave();
      code.show(settings.kernel);
      requests.set(ask("requests", settings).requests, figure.first);
      busy.textContent = "Modelling …";
      clearTimeout(timer);
      await new Promise((done) => { timer = setTimeout(done, 200); }); // until the slider rests
      if (mine !== turn || editor.editing) return;
      tabulate(settings, ask("time", settings));
      busy.textContent = "";
    };
    function tabulate(settings, { counts, time, gb_per_s: speed, peak }) {
      const each = (sectors, all) => (all ? (sectors / all).toFixed(1) : "none");
      const rows = [["load", counts.load_requests, counts.load_sectors, counts.load_bytes],
        ["store", counts.store_requests, counts.store_sectors, counts.store_bytes]].map(([kind, all, sectors, bytes]) =>
        row(`sectors a ${kind} request`, each(sectors, all), all ? `${Math.round(100 * bytes / 32 / sectors)} % of their bytes requested` : ""));
      const shared = counts.shared_load_requests + counts.shared_store_requests;
      if (shared) {
        const conflicts = counts.shared_load_conflicts + counts.shared_store_conflicts;
        rows.push(row("conflicts a shared request", (conflicts / shared).toFixed(1), `${grouped(shared)} requests of the whole grid`));
      }
      rows.push(row(`modelled on ${figure.cards[settings.card].name}`, `${few(time.ms)} ms`,
        `${grouped(speed)} GB/s, ${Math.round(100 * speed / peak)} % of the peak; limited by ${LIMITS[time.limited_by] ?? time.limited_by}`));
      counted.replaceChildren(...rows);
    }
    return answer;
  }

  function law(figure, body) {
    const answer = make("p", { class: "request", role: "status" });
    const plot = make("svg", { viewBox: "0 0 640 300", role: "img" });
    body.append(plot, answer);
    return (values, ask) => {
      const points = [8, 16, 24, 32, 40, 48, 56, 64].map((warps) => ask("in_flight", { ...values, warps }));
      const now = ask("in_flight", values), most = points.at(-1).in_flight, peak = now.peak;
      const x = (bytes) => 60 + 560 * bytes / most, y = (speed) => 250 - 215 * speed / peak;
      const svg = (name, attributes, ...children) => make(name, { ...attributes, svg: true }, ...children);
      const texts = [[x(most), 268, "end", `${grouped(most / 1024)} KiB`], [x(most / 2), 268, "middle", `${few(most / 2048)} KiB`],
        [x(0), 268, "middle", "0"], [340, 292, "middle", "bytes in flight on an SM"], [64, y(peak) - 7, "start", `peak ${grouped(peak)} GB/s`],
        [54, 254, "end", "0"], [54, y(peak / 2) + 4, "end", grouped(peak / 2)]];
      plot.setAttribute("aria-label", `Modelled: ${points.map((p) => `${grouped(p.gb_per_s)} GB/s with ${few(p.in_flight / 1024)} KiB`).join(", ")}.`);
      plot.replaceChildren(
        svg("path", { d: `M60 250H620M60 250V30`, class: "axis" }), svg("path", { d: `M60 ${y(peak)}H620`, class: "peak" }),
        svg("path", { d: `M${x(0)} ${y(0)}${points.map((p) => `L${x(p.in_flight)} ${y(p.gb_per_s)}`).join("")}`, class: "curve" }),
        ...points.map((p) => svg("circle", { cx: x(p.in_flight), cy: y(p.gb_per_s), r: 4, class: "point" })),
        svg("circle", { cx: x(now.in_flight), cy: y(now.gb_per_s), r: 8, class: "now" }),
        ...texts.map(([at, low, anchor, text]) => svg("text", { x: at, y: low, "text-anchor": anchor }, text)));
      const wait = now.in_flight * figure.cards[values.card].multiprocessors / now.gb_per_s;
      answer.textContent = `${grouped(now.in_flight)} bytes are in flight on each of ${figure.cards[values.card].multiprocessors} SMs: `
        + `${grouped(now.gb_per_s)} GB/s, ${Math.round(100 * now.gb_per_s / peak)} % of the peak. By Little's law a load takes ${grouped(wait)} ns. `
        + `Limited by ${LIMITS[now.time.limited_by] ?? now.time.limited_by}; modelled on ${figure.cards[values.card].name}, not measured.`;
    };
  }

  function pipeline(figure, body) {
    const answer = make("p", { class: "request", role: "status" });
    const plot = make("svg", { viewBox: "0 0 640 150", role: "img" });
    body.append(plot, answer);
    const engines = ["H2D", "compute", "D2H"];
    return (values, ask) => {
      const { bars, host_ms: end } = ask("pipeline", { ...figure.fixed, ...values });
      const busy = engines.map((engine) => bars.filter((bar) => bar.engine === engine).reduce((sum, bar) => sum + bar.end - bar.start, 0));
      const said = engines.map((engine, at) => `${engine} busy for ${few(busy[at])} ms`).join(", ");
      const x = (ms) => 70 + 560 * ms / end;
      const svg = (name, attributes, ...children) => make(name, { ...attributes, svg: true }, ...children);
      plot.setAttribute("aria-label", `Timeline: ${few(end)} ms; ${said}.`);
      plot.replaceChildren(
        ...engines.map((engine, at) => svg("text", { x: 62, y: 30 + 36 * at, "text-anchor": "end" }, engine)),
        ...bars.map((bar) => svg("rect", { x: x(bar.start), y: 12 + 36 * engines.indexOf(bar.engine), height: 26,
          width: Math.max(0.6, x(bar.end) - x(bar.start) - 0.4), class: `stream${(bar.stream - 1) % 4}` },
        svg("title", {}, `stream ${bar.stream}, ${few(bar.start)} to ${few(bar.end)} ms`))),
        svg("path", { d: "M70 122H630", class: "axis" }),
        ...[0, 0.25, 0.5, 0.75, 1].map((part) => svg("text", { x: x(part * end), y: 140, "text-anchor": part === 1 ? "end" : "middle" },
          `${few(part * end)}${part === 1 ? " ms" : ""}`)));
      answer.textContent = `${few(end)} ms in all; ${said}. Colours are streams. Modelled on ${figure.cards[values.card].name}, not measured.`;
    };
  }

  function trace(figure, body) {
    const file = make("input", { type: "file", accept: ".jsonl,.json", id: "explore-trace-file" });
    const choice = make("select", { id: "explore-trace-launch" });
    const which = make("p", { hidden: "" }, make("label", { for: "explore-trace-launch" }, "launch"), choice);
    const said = make("p", { class: "busy", role: "status" }, "It stays on your machine: this page sends nothing.");
    const drop = make("div", { class: "drop" }, make("label", { for: "explore-trace-file" }, "Drop trace.jsonl here, or choose it:"), file);
    const requests = new Requests(null);
    requests.element.hidden = true;
    body.append(drop, said, which, requests.element);
    let launches = [];
    choice.addEventListener("change", () => show(Number(choice.value)));
    function show(at) {
      requests.requests = null;
      requests.set(launches[at].requests);
    }
    async function read(chosen) {
      if (!chosen) return;
      requests.element.hidden = which.hidden = true;
      try {
        const lines = (await chosen.text()).split("\n").filter((line) => line.trim());
        launches = lines.map((line, at) => {
          let launch = null;
          try { launch = JSON.parse(line); } catch { /* said below */ }
          const whole = Array.isArray(launch?.requests) && launch.requests.every((r) => Array.isArray(r.offsets)
            && r.offsets.length === 32 && (r.space === "shared" ? Array.isArray(r.wavefronts) : Array.isArray(r.sectors)));
          if (!whole) throw new Error(`Line ${at + 1} of ${chosen.name} is no launch as MOVING_BYTES_TRACE writes one.`);
          return launch;
        });
        if (!launches.length) throw new Error(`${chosen.name} is empty.`);
      } catch (error) {
        said.textContent = error.message;
        return;
      }
      said.textContent = `${plural(launches.length, "launch").replace(/launchs$/, "launches")} in ${chosen.name}.`;
      choice.replaceChildren(...launches.map((launch, at) => make("option", { value: at },
        `${launch.kernel} <<<${launch.grid.join(" x ")}, ${launch.block.join(" x ")}>>>`)));
      requests.element.hidden = which.hidden = false;
      show(0);
    }
    file.addEventListener("change", () => read(file.files[0]));
    drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      read(event.dataTransfer.files[0]);
    });
    return null;
  }

  // --- begin ----------------------------------------------------------------------------------------

  const KINDS = { access, law, pipeline, trace };
  const near = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      target.begin();
    }
  }, { rootMargin: "600px" });

  for (const section of sections) {
    const figure = JSON.parse(section.dataset.figure), name = section.id.replace("explore-", "");
    const body = make("div", { class: "explore-body" });
    section.append(make("p", { class: "explore-title" }, figure.title), body);
    section.hidden = false;
    if (figure.kind === "trace") {
      trace(figure, body);
      continue;
    }
    const failed = (error) => body.replaceChildren(make("p", {}, `This figure does not answer here: ${error.message}`));
    let begun = null;
    section.begin = () => begun ??= load().then((ask) => {
      const known = ask("cards"), kernels = Object.keys(figure.code ?? {});
      figure.cards = Object.fromEntries(known.map((card) => [card.option, card]));
      const settings = new Settings(name, [
        ...(kernels.length > 1 ? [{ name: "kernel", label: "kernel", values: kernels, value: kernels[0] }] : []), ...figure.settings,
        { name: "card", label: "card", values: known.map((card) => card.option), words: known.map((card) => card.name), value: known[0].option },
      ], () => update());
      body.append(settings.element);
      const answer = KINDS[figure.kind](figure, body);
      const update = () => Promise.resolve(answer({ kernel: kernels[0], ...settings.values }, ask)).catch(failed);
      const arrive = () => settings.read() && (section.scrollIntoView(), update());
      addEventListener("hashchange", arrive);
      if (!arrive()) update();
    }).catch(failed);
    if (location.hash.startsWith(`#explore-${name}?`)) section.begin();
    near.observe(section);
  }
})();
