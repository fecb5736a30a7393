"use strict";
// All variants of a chapter in its page: compiled when the site was built, run here with what the fields say; the table that the
// terminal has, and a chart of it.
(() => {
  const section = document.querySelector("section.chapter");
  if (!section) return;
  const { editing } = window, { make, button, grouped } = editing, bench = new editing.Workbench(), { said } = bench;
  const LIMIT = 300; // seconds
  const COLUMNS = 100; // at least: on a phone the table is wider than its box, which scrolls
  const SIZES = Array.from({ length: 9 }, (_, more) => 1 << (12 + more));
  const { chapter, variants, cards, choices, differing } = JSON.parse(section.dataset.chapter);

  const field = (name, words, control) => {
    control.id = `chapter-${name}`;
    return make("p", {}, make("label", { for: control.id }, words), control);
  };
  const option = (value, words = value) => make("option", { value }, String(words));
  const select = (first, rest) => make("select", {}, ...(first ? [option("", first)] : []), ...rest.map((one) => option(...[one].flat())));
  const n = select("as in ./run --device cpu", SIZES.map((size) => [size, grouped(size)]));
  const variant = select("all", variants), card = select("", cards);
  const seed = make("input", { type: "number", min: "0", max: "4294967295", value: "1" });
  const wheres = choices.map(([name, words, values]) => ({ name, words, control: select("all", values) }));
  const run = button("Run the variants"), output = editing.box("The table");
  const chart = make("div", { hidden: "" });
  n.value = String(1 << 16);

  // What is fetched is in the browser's cache the next time.
  const fetched = async (name) => {
    const answer = await fetch(`edit/${name}`);
    if (!answer.ok) throw new Error(`edit/${name} is missing next to this page.`);
    return answer;
  };
  const compiled = async (name) => WebAssembly.compileStreaming(fetched(name));

  const chosen = () => ({ name: chapter, card: card.value, ...(n.value && { n: Number(n.value) }),
    ...(variant.value && { variants: [variant.value] }), ...(seed.value && { seed: Number(seed.value) }),
    where: Object.fromEntries(wheres.filter(({ control }) => control.value).map(({ name, control }) => [name, control.value])) });

  async function go() {
    const runs = bench.begin("Fetching …");
    chart.hidden = true;
    let checker, about, module;
    try {
      if (!location.protocol.startsWith("http")) throw new Error(editing.FROM_DISK);
      const made = await (await fetched(`chapters/${chapter}.json`)).json();
      ({ about } = made);
      [checker, module] = await Promise.all([compiled(made.waits ? "chapters_waiting.wasm" : "chapters.wasm"), compiled(`chapters/${chapter}.wasm`)]);
    } catch (error) {
      if (runs()) bench.end(error.message);
      return;
    }
    if (!runs()) return;
    said.textContent = "Running …";
    const columns = Math.max(editing.columns(output), COLUMNS);
    bench.start("edit/program.js", { checker, program: { module, about }, columns, chapter: chosen() }, LIMIT, {
      hear: (data) => {
        if (data.words) return output.append(data.words);
        const { sentence, status, results } = data.ended;
        const found = results ? JSON.parse(results).rows.filter((row) => !row.library) : [];
        bench.end(sentence ?? (status ? `It exited with status ${status}.` : found.length ? "Done."
          : "No variant matches all of these values: choose fewer."));
        draw(found);
      },
      late: () => bench.end(`Stopped after ${LIMIT} seconds: choose a smaller n, or a single variant.`),
      failed: (message) => bench.end(`Stopped by the browser: ${message}`),
    });
  }

  // --- the chart ----------------------------------------------------------------------------------------

  const MEASURES = {
    time: ["Modelled time, ms", ({ modelled }) => modelled?.ms],
    loaded: ["Sectors loaded", ({ counts }) => counts?.load_sectors],
    stored: ["Sectors stored", ({ counts }) => counts?.store_sectors],
  };
  const measure = select("", Object.entries(MEASURES).map(([name, [words]]) => [name, words]));
  measure.id = "chapter-measure";
  const picture = make("div", {});
  chart.append(make("p", {}, make("label", { for: measure.id }, "Bars: "), measure), picture);
  let rows = [];
  measure.addEventListener("change", bars);

  function draw(all) {
    rows = all;
    for (const one of measure.options) one.disabled = !rows.some((row) => MEASURES[one.value][1](row) > 0);
    if (measure.selectedOptions[0].disabled) measure.value = [...measure.options].find((one) => !one.disabled)?.value ?? "";
    chart.hidden = !measure.value;
    bars();
  }

  // What tells the rows apart, in front of their bars: the variant, and the parameters that are not the same everywhere.
  function bars() {
    if (!measure.value) return;
    const [words, of] = MEASURES[measure.value], shown = rows.filter((row) => of(row) > 0);
    const names = [...new Set(shown.flatMap((row) => Object.keys(row.parameters)))].filter((name) =>
      new Set(shown.map((row) => row.parameters[name])).size > 1);
    const label = (row) => [row.variant, ...names.filter((name) => name in row.parameters).map((name) => `${name} ${row.parameters[name]}`)].join(", ");
    const wide = Math.max(320, Math.min(picture.clientWidth || 640, 900)), most = Math.max(...shown.map(of)), height = 40, room = wide - 90;
    const text = (x, y, what) => make("text", { svg: true, x, y }, what);
    const number = (value) => (value < 1e4 ? Number(value.toPrecision(3)).toString() : grouped(value));
    picture.replaceChildren(make("svg", { viewBox: `0 0 ${wide} ${height * shown.length + 4}`, role: "img",
      "aria-label": `${words}: ${shown.map((row) => `${label(row)} ${number(of(row))}`).join("; ")}` },
      ...shown.flatMap((row, at) => {
        const width = Math.max(1, room * of(row) / most), top = height * at;
        return [text(0, top + 14, label(row)), make("rect", { svg: true, class: "point", x: 0, y: top + 19, width, height: 14 }),
          text(width + 6, top + 31, number(of(row)))];
      })));
  }

  section.append(make("p", { class: "explore-title" }, "All variants, in this page"),
    make("div", { class: "settings" }, field("n", "Elements of an array, n", n), field("variant", "Variant", variant),
      ...wheres.map(({ name, words, control }) => field(name, words, control)),
      field("card", "GPU to model times for", card), field("seed", "Seed of the inputs", seed)),
    make("div", { class: "steps" }, run, bench.stop), said, output, chart,
    ...Object.entries(differing).map(([name, why]) => make("p", {}, `Counts of ${name} differ here: ${why}.`)));
  said.textContent = "The kernels run in this page on the CPU device, the same as in ./run; times are modelled for this n.";
  run.addEventListener("click", go);
  section.hidden = false;
})();
