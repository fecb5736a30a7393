"use strict";
// Figures that answer: sliders before the CPU device with the chapters' kernels (figures_module.js), which counts and models what they
// say, in the page. Without scripts, and on paper, the drawn figures stay alone.
(() => {
  const sections = document.querySelectorAll("section[data-figure]");
  if (!sections.length) return;

  const { editing } = window, { make, button, status, svg, grouped, plural } = editing, { Requests, Code } = window.requests;
  const few = (number) => (number < 1e4 ? Number(number.toPrecision(4)).toString() : grouped(number));

  // --- the module -----------------------------------------------------------------------------------

  const loading = new Map();
  // Its ask(question, settings), once, when the first figure needs it: of kernels whose threads wait for each other (`waits`) or not.
  function load(waits) {
    const name = waits ? "figures_waiting" : "figures";
    if (!loading.has(name)) loading.set(name, fetched(name));
    return loading.get(name);
  }
  async function fetched(name) {
    const script = make("script", { src: `${name}_module.js` });
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${script.getAttribute("src")} is missing next to this page.`));
      document.head.append(script);
    });
    const { engine, about, figures } = window.figuresModule;
    const packed = new Blob([Uint8Array.from(atob(engine), (letter) => letter.charCodeAt(0))]).stream();
    const bytes = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const { ask } = figures(await WebAssembly.compile(bytes), { module: null, about });
    return (question, settings) => {
      try {
        return ask(question, settings);
      } catch (error) {
        throw error.sentence ? new Error(error.sentence) : error;
      }
    };
  }
  window.askFigures = async (question, settings, waits = false) => (await load(waits))(question, settings);

  // The requests as a page shows them: shared memory from the first byte that the warp uses on, arrays by their names.
  function shown({ requests }) {
    const first = Math.min(...requests.filter(({ space }) => space === "shared").map(({ begin }) => begin));
    return requests.map((request) => {
      if (request.space === "global") return { ...request, array: "abc"[request.allocation - 1] };
      const shift = request.begin - first, bank = (lane) => (lane + 32 - (shift / 4) % 32) % 32;
      return { ...request, offsets: request.offsets.map((offset) => offset === null ? null : offset + shift),
        wavefronts: request.wavefronts.map((wave) => wave.map((_, at) => wave[bank(at)])) };
    });
  }

  // --- an edited kernel -------------------------------------------------------------------------------

  // A program with that one instance of the kernel, as explore.py makes one of all.
  const sourceOf = (figure, { lines }, text, { kernel }) => `#include "browser/figure.hpp"\n${figure.part.replace(lines.join("\n"), () => text)
    .replace(/^if \(figure_asks_for\("(.*?)"\)\).*\n/gm, (launch, key) => (key === kernel ? launch : ""))}\nint main() {}\n`;

  const LIMIT = 20; // seconds that an edited kernel may run
  class Editor extends editing.Workbench {
    constructor(figure, code, show) {
      super();
      Object.assign(this, { figure, code, show, verdict: status("verdict") });
      [this.edit, this.run, this.close] = ["Edit this kernel", "Run", "Back to the chapter's kernel"].map((words, at) => button(words, at > 0));
      this.element = make("div", { class: "editing" }, make("div", { class: "steps" }, this.edit, this.run, this.stop, this.close), this.said,
        this.output, this.verdict);
      this.edit.addEventListener("click", () => this.open());
      this.run.addEventListener("click", () => this.go());
      this.close.addEventListener("click", () => this.leave());
    }

    get editing() { return !this.close.hidden; }

    async open() {
      this.of = this.code.sources[this.kernel];
      if (!await this.load(this.of.lines.join("\n"), this.of.first, () => { this.verdict.textContent = ""; })) return;
      this.code.element.replaceWith(this.view.element);
      this.edit.hidden = true;
      this.run.hidden = this.close.hidden = false;
      this.view.element.querySelector(".cm-content").focus();
    }

    leave() {
      this.end("");
      this.view.element.replaceWith(this.code.element);
      this.edit.hidden = false;
      this.run.hidden = this.close.hidden = this.output.hidden = true;
      this.verdict.textContent = "";
      this.changed();
    }

    async go() {
      const values = { ...this.values };
      this.verdict.textContent = "";
      this.show(values);
      const made = await this.compile("figure", sourceOf(this.figure, this.of, this.view.text(), values));
      if (!made?.module) return;
      this.said.textContent = "Running …";
      const small = { ...values, ...(values.rows ? { rows: 96, columns: 80 } : values.bytes ? { bytes: 2018 } : { n: 1009 }) };
      const questions = [["requests", values], ["run", small], ["time", values]], answers = [];
      this.start("edit/figure.js", { checker: made.checker, program: { module: made.module, about: made.about }, questions }, LIMIT, {
        hear: ({ answer, fault, line }) => {
          answers.push(answer ?? {});
          if (answer?.requests || answer?.time) this.show(values, shown(answers[0]), answers[2]);
          if (fault) this.fault(fault, line);
          else if (answer.sum) this.verify(answer, small);
          if (fault || answers.length === questions.length) this.end("");
        },
        late: () => this.end(`Stopped after ${LIMIT} seconds: is a loop endless?`),
        failed: () => this.end("Running it failed."),
      });
    }

    fault(said, line) {
      const message = said.replace(/ \(launched at figure\.cu:\d+\)/g, "").replaceAll("figure.cu:", `${this.of.file}:`);
      this.mark(line, message);
      this.verdict.textContent = `Fault${line ? ` in line ${line}` : ""}: ${message}`;
    }

    async verify({ sum }, settings) {
      const size = settings.columns ? `${settings.rows} x ${settings.columns} elements` : `${grouped(settings.n ?? settings.bytes)} ${settings.n ? "elements" : "bytes"}`;
      const wanted = (await load(this.figure.waits))("run", settings).sum;
      this.verdict.textContent = sum === wanted ? `Verified with ${size}: same result as the chapter's kernel.`
        : `WRONG: with ${size}, the result differs from the chapter's kernel.`;
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
    const counted = make("table", { class: "answer" }), busy = status("busy");
    const editor = new Editor(figure, code, (settings, made, modelled) => {
      requests.element.hidden = !made; // it may not compile, and what is shown was another kernel's
      if (made) requests.set(made, figure.first);
      counted.replaceChildren();
      if (modelled) tabulate(settings, modelled);
    });
    body.append(code.element, ...(figure.edit ? [editor.element] : []), requests.element, counted, busy);
    let timer = 0, turn = 0, last = null, smaller = 1;
    // Of the reference's size, or as near to it as this browser can hold arrays.
    const sized = (settings) => Object.fromEntries(Object.entries(settings).map(([name, value]) => [name,
      ["n", "rows", "bytes"].includes(name) ? value / smaller : value]));
    function fitted(ask, question, settings) {
      for (;; smaller *= 2) {
        try {
          return ask(question, sized(settings));
        } catch (error) {
          if (!error.message.includes("no space") || smaller > 4096) throw error;
        }
      }
    }
    editor.changed = () => answer(...last);
    const answer = async (values, ask) => {
      last = [values, ask];
      const mine = ++turn, settings = { figure: figure.name, ...figure.fixed, ...values };
      if (settings.used === "all") settings.used = settings.fields;
      settings.kernel = [values.kernel, ...figure.code[values.kernel].chosen.map((setting) => settings[setting])].join(" ");
      const other = editor.kernel !== values.kernel;
      editor.kernel = values.kernel;
      editor.values = settings;
      if (editor.editing && !other) {
        editor.end("Run it again: the settings have changed.");
        return;
      }
      if (editor.editing) editor.leave();
      code.show(values.kernel);
      requests.element.hidden = false;
      requests.set(shown(fitted(ask, "requests", settings)), figure.first);
      busy.textContent = "Modelling …";
      clearTimeout(timer);
      await new Promise((done) => { timer = setTimeout(done, 200); }); // until the slider rests
      if (mine !== turn || editor.editing) return;
      tabulate(settings, fitted(ask, "time", settings));
      busy.textContent = "";
    };
    function tabulate(settings, { counts, time, gb_per_s: speed, peak }) {
      const each = (sectors, all) => (all ? (sectors / all).toFixed(1) : "none");
      const rows = [["load", counts.load_requests, counts.load_sectors, counts.load_bytes],
        ["store", counts.store_requests, counts.store_sectors, counts.store_bytes]].map(([kind, all, sectors, bytes]) =>
        row(`sectors per ${kind} request`, each(sectors, all), all ? `${Math.round(100 * bytes / 32 / sectors)} % of their bytes requested` : ""));
      const shared = counts.shared_load_requests + counts.shared_store_requests;
      if (shared) {
        const conflicts = counts.shared_load_conflicts + counts.shared_store_conflicts;
        rows.push(row("conflicts per shared request", (conflicts / shared).toFixed(1), `${grouped(shared)} requests of the whole grid`));
      }
      rows.push(row(`modelled for ${figure.cards[settings.card].name}`, `${few(time.ms)} ms`,
        `${grouped(speed)} GB/s, ${Math.round(100 * speed / peak)} % of the peak; limited by ${LIMITS[time.limited_by] ?? time.limited_by}`
          + (smaller > 1 ? `; array 1/${smaller} of the reference's size, to fit in this browser` : "")));
      counted.replaceChildren(...rows);
    }
    return answer;
  }

  function law(figure, body) {
    const answer = status("request");
    const plot = make("svg", { viewBox: "0 0 640 300", role: "img" });
    body.append(plot, answer);
    return (values, ask) => {
      const points = [8, 16, 24, 32, 40, 48, 56, 64].map((warps) => ask("in_flight", { ...values, warps }));
      const now = ask("in_flight", values), most = points.at(-1).in_flight, peak = now.peak;
      const x = (bytes) => 60 + 560 * bytes / most, y = (speed) => 250 - 215 * speed / peak;
      const texts = [[x(most), 268, "end", `${grouped(most / 1024)} KiB`], [x(most / 2), 268, "middle", `${few(most / 2048)} KiB`],
        [x(0), 268, "middle", "0"], [340, 292, "middle", "bytes in flight per SM"], [64, y(peak) - 7, "start", `peak ${grouped(peak)} GB/s`],
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
        + `Limited by ${LIMITS[now.time.limited_by] ?? now.time.limited_by}; modelled for ${figure.cards[values.card].name}, not measured.`;
    };
  }

  function pipeline(figure, body) {
    const answer = status("request");
    const plot = make("svg", { viewBox: "0 0 640 150", role: "img" });
    body.append(plot, answer);
    const engines = ["H2D", "compute", "D2H"];
    return (values, ask) => {
      const { bars, host_ms: end } = ask("pipeline", { ...figure.fixed, ...values });
      const busy = engines.map((engine) => bars.filter((bar) => bar.engine === engine).reduce((sum, bar) => sum + bar.end - bar.start, 0));
      const said = engines.map((engine, at) => `${engine} busy for ${few(busy[at])} ms`).join(", ");
      const x = (ms) => 70 + 560 * ms / end;
      plot.setAttribute("aria-label", `Timeline: ${few(end)} ms; ${said}.`);
      plot.replaceChildren(
        ...engines.map((engine, at) => svg("text", { x: 62, y: 30 + 36 * at, "text-anchor": "end" }, engine)),
        ...bars.map((bar) => svg("rect", { x: x(bar.start), y: 12 + 36 * engines.indexOf(bar.engine), height: 26,
          width: Math.max(0.6, x(bar.end) - x(bar.start) - 0.4), class: `stream${(bar.stream - 1) % 4}` },
        svg("title", {}, `stream ${bar.stream}, ${few(bar.start)} to ${few(bar.end)} ms`))),
        svg("path", { d: "M70 122H630", class: "axis" }),
        ...[0, 0.25, 0.5, 0.75, 1].map((part) => svg("text", { x: x(part * end), y: 140, "text-anchor": part === 1 ? "end" : "middle" },
          `${few(part * end)}${part === 1 ? " ms" : ""}`)));
      answer.textContent = `${few(end)} ms in all; ${said}. Colours are streams. Modelled for ${figure.cards[values.card].name}, not measured.`;
    };
  }

  function trace(figure, body) {
    const file = make("input", { type: "file", accept: ".jsonl,.json", id: "explore-trace-file" });
    const choice = make("select", { id: "explore-trace-launch" });
    const which = make("p", { hidden: "" }, make("label", { for: "explore-trace-launch" }, "launch"), choice);
    const said = status("busy", "The file stays on your machine: this page sends nothing.");
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
          if (!whole) throw new Error(`Line ${at + 1} of ${chosen.name} is not a launch written by MOVING_BYTES_TRACE.`);
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
    const name = section.id.replace("explore-", ""), figure = { name, ...JSON.parse(section.dataset.figure) };
    const body = make("div", { class: "explore-body" });
    section.append(make("p", { class: "explore-title" }, figure.title), body);
    section.hidden = false;
    if (figure.kind === "trace") {
      trace(figure, body);
      continue;
    }
    const failed = (error) => body.replaceChildren(make("p", {}, `This figure is not interactive here: ${error.message}`));
    const coming = status("busy", "Loading the simulator of this figure …");
    body.append(coming);
    let begun = null;
    section.begin = () => begun ??= load(figure.waits).then((ask) => {
      coming.remove();
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
