"use strict";
// What figures, exercises, chapters and the playground share: elements, the editor, the compiler, which is fetched when a reader first runs
// something, and what runs.
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

  const svg = (name, attributes, ...children) => make(name, { ...attributes, svg: true }, ...children);
  const grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

  const FROM_DISK = "A page that is opened from a disk may not run a compiler. Type ./run docs --serve and open the address that it shows.";

  let scripts = null, compiler = null, jobs = 0;
  function load() {
    if (!location.protocol.startsWith("http")) return Promise.reject(new Error(FROM_DISK));
    scripts ??= new Promise((resolve, reject) => {
      const script = make("script", { src: "edit/editor.js" });
      script.onload = () => resolve(window.figuresEditor);
      script.onerror = () => { scripts = null; reject(new Error("edit/editor.js is not next to this page.")); };
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
        if (data.all) return progress(data.done < data.all ? `Fetching the compiler: ${Math.round(100 * data.done / data.all)} %` : "Compiling …");
        worker.removeEventListener("message", hear);
        resolve(data);
      };
      worker.addEventListener("message", hear);
      worker.onerror = () => { compiler = null; reject(new Error("the compiler could not be started")); };
      worker.postMessage({ number, ...what });
    });
  }
  function stop() {
    compiler?.terminate();
    compiler = null;
  }

  // Shows what the compiler said, below the editor and next to its lines: returns what belongs to a line.
  function tell(view, output, said) {
    const marks = [...said.matchAll(/^(.+?\.cu):(\d+):(\d+): (?:fatal )?(error|warning): (.*)$/gm)].map(
      ([, , line, column, severity, message]) => ({ line: Number(line), column: Number(column), severity, message }));
    view.tell(marks);
    output.textContent = said.trim();
    output.hidden = !said.trim();
    return marks;
  }

  // What is compiled and runs in one place of a page, one after the other: a new one, or the button, ends what is there.
  class Running {
    constructor(button, said) {
      Object.assign(this, { button, said, turn: 0 });
      button.hidden = true;
      button.addEventListener("click", () => this.end("Stopped."));
    }

    // What runs, compiler or worker, is over.
    end(words) {
      ++this.turn;
      this.worker?.terminate();
      this.worker = null;
      if (this.compiling) stop();
      this.compiling = false;
      clearTimeout(this.limit);
      this.button.hidden = true;
      this.said.textContent = words;
    }

    // What comes now says whether it still runs.
    begin(words) {
      this.end(words);
      this.button.hidden = false;
      const mine = this.turn;
      return () => mine === this.turn;
    }

    // What compile() makes of it, or null where that is not wanted any more.
    async compile(what) {
      const runs = this.begin("Compiling …");
      this.compiling = true;
      let made;
      try {
        made = await compile(what, (words) => { if (runs()) this.said.textContent = words; });
      } catch (error) {
        made = { said: error.message };
      }
      if (!runs()) return null;
      this.compiling = false;
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

  // Said when load() has loaded: with the editor comes what all that lies next to it weighs.
  const fetchedOnce = () => `the first time the compiler is fetched, up to ${Math.round(window.figuresEditorBytes / 1e6)} MB.`;

  return { make, svg, grouped, plural, load, tell, Running, columns, fetchedOnce, FROM_DISK };
})();
