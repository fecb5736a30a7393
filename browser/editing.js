"use strict";
// What figures, exercises, chapters and the playground share: elements, the editor, the compiler (fetched at the first run), and workers.
window.editing = (() => {
  const make = (name, attributes = {}, ...children) => {
    const element = name === "svg" || attributes.svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
      : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key !== "svg" && value !== undefined) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  const button = (words, hidden) => make("button", { type: "button", hidden: hidden ? "" : undefined }, words);
  const status = (kind, ...words) => make("p", { class: kind, role: "status" }, ...words);
  const box = (label) => make("pre", { class: "compiler", hidden: "", tabindex: "0", role: "group", "aria-label": label });
  const svg = (name, attributes, ...children) => make(name, { ...attributes, svg: true }, ...children);
  const grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

  const FROM_DISK = "A page opened from disk cannot run a compiler. Run ./run docs --serve and open the address that it prints.";

  let scripts = null, compiler = null, jobs = 0;
  function editor() {
    if (!location.protocol.startsWith("http")) return Promise.reject(new Error(FROM_DISK));
    scripts ??= new Promise((resolve, reject) => {
      const script = make("script", { src: "edit/editor.js" });
      script.onload = () => resolve(window.figuresEditor);
      script.onerror = () => { scripts = null; reject(new Error("edit/editor.js is missing next to this page.")); };
      document.head.append(script);
    });
    return scripts;
  }

  // `what`: a {source} and what it is compiled `as`, "answer", "figure" or "program". What comes of it has `said`, what the compiler
  // said, and `module` unless it failed.
  function compile(what, progress) {
    compiler ??= new Worker("edit/compiler.js", { type: "module" });
    const number = ++jobs, worker = compiler;
    return new Promise((resolve, reject) => {
      const hear = ({ data }) => {
        if (data.number !== number) return;
        if (data.all) return progress(data.done < data.all ? `Downloading the compiler: ${Math.round(100 * data.done / data.all)} %` : "Compiling …");
        worker.removeEventListener("message", hear);
        resolve(data);
      };
      worker.addEventListener("message", hear);
      worker.onerror = () => { compiler = null; reject(new Error("the compiler could not be started")); };
      worker.postMessage({ number, ...what });
    });
  }
  // An editor, the compiler's messages below it, and the one program that is compiled or runs there: the next one, or the button, ends it.
  class Workbench {
    constructor() {
      Object.assign(this, { stop: button("Stop", true), said: status("busy"), output: box("Compiler output"), turn: 0, marks: [] });
      this.stop.addEventListener("click", () => this.end("Stopped."));
    }

    // Makes the editor, whose first line has the number `first`; false, after a sentence, where there can be none.
    async load(text, first, changed) {
      try {
        const create = await editor();
        this.view = create(text, first, changed);
        // With the editor comes what all that lies next to it weighs.
        this.said.textContent = `Compiled in this page; the first run downloads the compiler, up to ${Math.round(window.figuresEditorBytes / 1e6)} MB.`;
      } catch (error) {
        this.said.textContent = error.message;
      }
      return Boolean(this.view);
    }

    clear() {
      this.output.hidden = true;
      this.view.tell([]);
    }

    mark(line, message) {
      if (line) this.view.tell([...this.marks, { line, message, severity: "error" }]);
    }

    // What runs, compiler or worker, is over.
    end(words) {
      ++this.turn;
      this.worker?.terminate();
      this.worker = null;
      if (this.compiling) {
        compiler?.terminate();
        compiler = null;
      }
      this.compiling = false;
      clearTimeout(this.limit);
      this.stop.hidden = true;
      this.said.textContent = words;
    }

    // What comes now says whether it still runs.
    begin(words) {
      this.end(words);
      this.stop.hidden = false;
      const mine = this.turn;
      return () => mine === this.turn;
    }

    // What compile() makes of a source, the editor's if no other is given, or null where that is not wanted any more. What the compiler
    // says of `file` stands below the editor and next to its lines.
    async compile(as, source = this.view.text(), file = `${as}.cu`) {
      this.clear();
      const runs = this.begin("Compiling …");
      this.compiling = true;
      let made;
      try {
        made = await compile({ source, as }, (words) => { if (runs()) this.said.textContent = words; });
      } catch (error) {
        made = { said: error.message };
      }
      if (!runs()) return null;
      this.compiling = false;
      const said = made.said.replaceAll(`${as}.cu:`, `${file}:`);
      this.marks = [...said.matchAll(/^(.+?\.cu):(\d+):(\d+): (?:fatal )?(error|warning): (.*)$/gm)].map(
        ([, , line, column, severity, message]) => ({ line: Number(line), column: Number(column), severity, message }));
      this.view.tell(this.marks);
      this.output.textContent = said.trim();
      this.output.hidden = !said.trim();
      if (!made.module) this.end("It does not compile; the lines below say why.");
      return made;
    }

    // Gives a worker its work: hears what it says, and `late` after so many seconds, `failed` where the browser ends it.
    start(script, work, seconds, { hear, late, failed }) {
      this.worker = new Worker(script, { type: "module" });
      this.limit = setTimeout(late, 1000 * seconds);
      this.worker.onerror = ({ message }) => failed(message);
      this.worker.onmessage = ({ data }) => hear(data);
      this.worker.postMessage(work);
    }
  }

  // Letters in a line of an output, as a terminal has them; shows it, empty.
  function columns(output) {
    const one = make("span", {}, "0".repeat(100));
    output.replaceChildren(one);
    output.hidden = false;
    const style = getComputedStyle(output), room = output.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    one.style.whiteSpace = "nowrap";
    const letters = Math.floor(100 * room / one.getBoundingClientRect().width);
    output.replaceChildren();
    return Math.min(Math.max(letters, 40), 200);
  }

  return { make, button, status, box, svg, grouped, plural, Workbench, columns, FROM_DISK };
})();
