"use strict";
// What figures, exercises and chapters share: elements, the editor, and the compiler, which is fetched when a reader first runs something.
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

  const FROM_DISK = "A page that is opened from a disk may not run a compiler. Type ./run docs --serve and open the address that it shows.";

  let scripts = null, compiler = null, jobs = 0;
  function load() {
    if (!location.protocol.startsWith("http")) return Promise.reject(new Error(FROM_DISK));
    scripts ??= new Promise((resolve, reject) => {
      const script = make("script", { src: "edit/editor.js" });
      script.onload = () => resolve(window.figuresEditor);
      script.onerror = () => { scripts = null; reject(new Error("edit/editor.js is not beside this page.")); };
      document.head.append(script);
    });
    return scripts;
  }

  // `what`: {source}, of a figure's kernel, or {answer}, to an exercise. What comes of it has `said`, what the compiler said, and
  // `module` unless it failed.
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

  // What of the compiler's words belongs to a line.
  const marks = (said) => [...said.matchAll(/^(.+?\.cu):(\d+):(\d+): (?:fatal )?(error|warning): (.*)$/gm)].map(
    ([, , line, column, severity, message]) => ({ line: Number(line), column: Number(column), severity, message }));

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

  // Said when load() has loaded: with the editor comes what all that lies beside it weighs.
  const fetchedOnce = () => `the first time the compiler is fetched, up to ${Math.round(window.figuresEditorBytes / 1e6)} MB.`;

  return { make, load, compile, stop, marks, columns, fetchedOnce, FROM_DISK };
})();
