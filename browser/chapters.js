"use strict";
// All variants of a chapter in its page: compiled when the site was built, run here with what the fields say, and the table that the
// terminal has.
(() => {
  const section = document.querySelector("section.chapter");
  if (!section) return;
  const { editing } = window, { make } = editing;
  const LIMIT = 300; // seconds
  const SIZES = Array.from({ length: 9 }, (_, more) => 1 << (12 + more));
  const { chapter, variants, differing } = JSON.parse(section.dataset.chapter);

  const field = (name, words, control) => {
    control.id = `chapter-${name}`;
    return make("p", {}, make("label", { for: control.id }, words), control);
  };
  const option = (value, words) => make("option", { value }, words);
  const spaced = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  const n = make("select", {}, option("", "as ./run --device cpu has it"), ...SIZES.map((size) => option(size, spaced(size))));
  const variant = make("select", {}, option("", "all"), ...variants.map((name) => option(name, name)));
  const seed = make("input", { type: "number", min: "0", max: "4294967295", value: "1" });
  const button = (words) => make("button", { type: "button" }, words);
  const run = button("Run the variants"), stop = button("Stop");
  const said = make("p", { class: "busy", role: "status" });
  const output = make("pre", { class: "compiler", hidden: "", tabindex: "0", role: "group", "aria-label": "The table" });
  stop.hidden = true;
  n.value = String(1 << 16);
  let worker = null, limit = null, turn = 0;

  function end(words) {
    ++turn;
    worker?.terminate();
    worker = null;
    clearTimeout(limit);
    stop.hidden = true;
    said.textContent = words;
  }

  // What is fetched is in the browser's cache the next time.
  const fetched = async (name) => {
    const answer = await fetch(`edit/${name}`);
    if (!answer.ok) throw new Error(`edit/${name} is not beside this page.`);
    return answer;
  };
  const compiled = async (name) => WebAssembly.compileStreaming(fetched(name));

  async function go() {
    end("Fetching …");
    const mine = turn;
    stop.hidden = false;
    const line = [chapter];
    if (n.value) line.push("--n", n.value);
    if (variant.value) line.push("--variant", variant.value);
    if (seed.value) line.push("--seed", seed.value);
    let checker, about, module;
    try {
      if (!location.protocol.startsWith("http")) throw new Error(editing.FROM_DISK);
      const made = await (await fetched(`chapters/${chapter}.json`)).json();
      ({ about } = made);
      [checker, module] = await Promise.all([compiled(made.waits ? "chapters_waiting.wasm" : "chapters.wasm"), compiled(`chapters/${chapter}.wasm`)]);
    } catch (error) {
      if (mine === turn) end(error.message);
      return;
    }
    if (mine !== turn) return;
    said.textContent = "Running …";
    const columns = editing.columns(output);
    worker = new Worker("edit/program.js", { type: "module" });
    limit = setTimeout(() => end(`It was still running after ${LIMIT} seconds: choose a smaller n, or one variant.`), 1000 * LIMIT);
    worker.onerror = ({ message }) => end(`The browser ended it: ${message}`);
    worker.onmessage = ({ data }) => {
      if (data.words) output.append(data.words);
      else end(data.ended.sentence ?? (data.ended.status ? `It ended with status ${data.ended.status}.` : "The chapter has run."));
    };
    worker.postMessage({ checker, program: { module, about }, columns, line });
  }

  section.append(make("p", { class: "explore-title" }, "All variants, in this page"),
    make("div", { class: "settings" }, field("n", "Elements of an array, n", n), field("variant", "Variant", variant),
      field("seed", "Seed of the inputs", seed)),
    make("div", { class: "steps" }, run, stop), said, output,
    ...Object.entries(differing).map(([name, why]) => make("p", {}, `${name} counts otherwise here: ${why}.`)));
  said.textContent = "The kernels run here, on the CPU device, as ./run has them; times are modelled for this n.";
  run.addEventListener("click", go);
  stop.addEventListener("click", () => end("Stopped."));
  section.hidden = false;
})();
