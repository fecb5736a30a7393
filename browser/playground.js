"use strict";
// The playground: a whole program in the editor, and below it what a terminal would say. Its text can go into the address, which
// shows it to whoever opens that, and runs nothing.
(() => {
  const section = document.querySelector("section.playground");
  if (!section) return;
  const { editing } = window, { make, button } = editing, bench = new editing.Workbench(), { said } = bench;
  const LIMIT = 60; // seconds
  const KEY = "playground", FRAGMENT = "#program=";
  const MOST = 64 << 10; // bytes of a program in an address
  const { programs } = JSON.parse(section.dataset.playground);
  const FILE = "program.cu";

  // --- the address ----------------------------------------------------------------------------------

  // All of a stream, or nothing where it is longer than `most`.
  async function bytes(stream, most = Infinity) {
    const reader = stream.getReader(), parts = [];
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > most) {
        reader.cancel();
        throw new Error("it is too long");
      }
      parts.push(part.value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }
  async function packed(text) {
    const small = await bytes(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")));
    return btoa(Array.from(small, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  }
  async function unpacked(words) {
    const small = Uint8Array.from(atob(words.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
    const all = await bytes(new Blob([small]).stream().pipeThrough(new DecompressionStream("deflate-raw")), MOST);
    return new TextDecoder("utf-8", { fatal: true }).decode(all);
  }

  // --- the page -------------------------------------------------------------------------------------

  // The reader's own programs, the last that was changed first. One that came with the address, or is offered here, becomes one of
  // them when the reader changes it, and takes no other's place.
  const OWN = 8;
  let own = null; // the one in the editor, as it was kept
  function kept() {
    let text = null;
    try {
      text = localStorage.getItem(KEY);
      const all = JSON.parse(text ?? "[]");
      if (Array.isArray(all)) return all.filter((one) => typeof one === "string");
    } catch { /* it was one program, once */ }
    return text === null ? [] : [text];
  }
  function keep(text) {
    const all = kept().filter((one) => one !== own && one !== text);
    own = text;
    try { localStorage.setItem(KEY, JSON.stringify([text, ...all].slice(0, OWN))); } catch { /* then it lasts until the page is left */ }
    offer();
  }
  const run = button("Run"), link = button("Make a link");
  const choice = make("select", { id: "playground-program" }, make("option", { value: "" }, "…"),
    ...programs.map(({ title }, number) => make("option", { value: String(number) }, title)));
  const mine = make("optgroup", { label: "Your own" });
  const TITLE = 60;
  function offer() {
    const all = kept();
    mine.replaceChildren(...all.map((text, number) => make("option", { value: `own-${number}` },
      (text.split("\n").find((line) => line.trim()) ?? "(empty)").replace(/^\/\/\s*/, "").slice(0, TITLE))));
    if (all.length) choice.append(mine);
  }
  const output = editing.box("Program output"), place = make("div");

  let showing = false; // and not the reader who types
  function show(text, ofReader = false) {
    bench.end("");
    bench.clear();
    output.hidden = true;
    own = ofReader ? text : null;
    showing = true;
    bench.view.set(text);
    showing = false;
  }

  async function go() {
    output.hidden = true;
    const made = await bench.compile("program");
    if (!made?.module) return;
    said.textContent = "Running …";
    const room = editing.columns(output);
    const over = ({ status, sentence, line }) => {
      bench.end(sentence ? "The program was stopped." : status ? `The program exited with status ${status}.` : "The program has ended.");
      if (sentence) bench.mark(line, sentence);
    };
    const last = (words) => {
      output.append(`${words}\n`);
      over({ sentence: words });
    };
    const work = { checker: made.checker, program: { module: made.module, about: made.about }, columns: room };
    bench.start("edit/program.js", work, LIMIT, {
      hear: (data) => {
        if (data.words) output.append(data.words);
        else over(data.ended);
      },
      late: () => last(`Stopped after ${LIMIT} seconds; is a loop endless?`),
      failed: (message) => last(`Stopped by the browser: ${message}`),
    });
  }

  async function address() {
    history.replaceState(null, "", FRAGMENT + await packed(bench.view.text()));
    said.textContent = "The address of this page now contains the program. Whoever opens it sees the program, which runs only on request.";
  }

  async function fromAddress() {
    if (!location.hash.startsWith(FRAGMENT)) return;
    try {
      show(await unpacked(location.hash.slice(FRAGMENT.length)));
      said.textContent = "This program is from the address. It has not run yet.";
    } catch {
      said.textContent = "The program in the address cannot be read.";
    }
  }

  async function begin() {
    section.append(make("p", { class: "explore-title" }, FILE),
      make("div", { class: "steps" }, make("label", { for: choice.id }, "Begin with:"), choice), place,
      make("div", { class: "steps" }, run, bench.stop, link), said, bench.output, output);
    section.hidden = false;
    [own = null] = kept();
    if (!await bench.load(own ?? programs[0].text, 1, () => { if (!showing) keep(bench.view.text()); })) {
      run.hidden = link.hidden = choice.parentElement.hidden = true;
      return;
    }
    offer();
    place.append(bench.view.element);
    run.addEventListener("click", go);
    link.addEventListener("click", address);
    choice.addEventListener("change", () => {
      const [, number] = choice.value.match(/^own-(\d)$/) ?? [];
      if (number !== undefined) show(kept()[number] ?? "", true);
      else if (choice.value !== "") show(programs[Number(choice.value)].text);
      choice.value = "";
    });
    addEventListener("hashchange", fromAddress);
    await fromAddress();
  }
  begin();
})();
