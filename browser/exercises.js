"use strict";
// Exercises in the page: an editor with the starter, the goals as ./run exercise words them, hints, and how far the reader is,
// which stays in this browser and goes to a clone and back as a file, progress.json.
(() => {
  const sections = document.querySelectorAll("section.exercise");
  if (!sections.length) return;
  const { editing } = window, { make, button, status } = editing;
  const LIMIT = 120; // seconds; where threads wait, a page takes several times as long as ./run exercise
  const UNCHECKED = 0, HELD = 1, MISSED = 2;

  // --- what is kept ---------------------------------------------------------------------------------

  const KEY = "exercises"; // exercise -> {state, tries, hints}, as progress.json has it
  const ANSWER = "exercise-answer-"; // what has been written
  const taken = document.querySelector("section.exercise-file"); // with tools/progress_schema.json, and the exercises that there are
  const { schema, numbers } = JSON.parse(taken.dataset.progress);
  const allowed = (value, rule) => (Array.isArray(rule) ? rule.includes(value)
    : rule.letters ? typeof value === "string" && value.length <= rule.letters
      : Number.isInteger(value) && value >= 0 && value <= rule.most);
  // The entries that are, with the fields that they may have.
  function sound(entries, part = "exercises") {
    const { name, fields } = schema[part], named = new RegExp(name), found = Object.entries(entries ?? {});
    return Object.fromEntries(found.filter(([key, one]) => named.test(key) && one && (part !== "exercises" || numbers.includes(key))
      && Object.entries(fields).every(([field, rule]) => allowed(one[field], rule)))
      .map(([key, one]) => [key, Object.fromEntries(Object.keys(fields).map((field) => [field, one[field]]))]));
  }
  const kept = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const keep = (key, text) => {
    try {
      if (text === null) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch { /* then it lasts until the page is left */ }
  };
  const parsed = (text) => { try { return JSON.parse(text ?? "{}") ?? {}; } catch { return {}; } };
  let known = sound(parsed(kept(KEY)));
  const shown = []; // called when it changes
  function note(number, state, tries, hints) {
    known = { ...known, ...sound(parsed(kept(KEY))) }; // another page may have noted something
    const one = known[number] ??= { state, tries: 0, hints: 0 };
    if (one.state !== "solved") one.state = state;
    one.tries = Math.min(one.tries + tries, schema.exercises.fields.tries.most);
    one.hints = Math.min(one.hints + hints, schema.exercises.fields.hints.most);
    keep(KEY, JSON.stringify(known));
    for (const show of shown) show();
  }

  // --- an exercise ----------------------------------------------------------------------------------

  class Exercise extends editing.Workbench {
    constructor(section) {
      super();
      Object.assign(this, JSON.parse(section.dataset.exercise));
      this.state = make("span", { class: "state" });
      [this.open, this.check, this.hint, this.again] = ["Write it here", "Check", "", "Begin again"].map((words, at) => button(words, at > 0));
      this.table = editing.box("Counts");
      this.goals = make("ul", { class: "goals", hidden: "", "aria-label": "Goals" });
      [this.evidence, this.verdict] = ["evidence", "verdict"].map((kind) => status(kind));
      this.hints = make("ol", { class: "hints", hidden: "", "aria-label": "Hints" });
      this.place = make("div");
      section.append(make("p", { class: "explore-title" }, `${this.number}: ${this.title} `, this.state),
        make("p", {}, `About ${this.minutes} minutes, difficulty ${this.difficulty} of 3. It practises: ${this.practises}.`), this.place,
        make("div", { class: "steps" }, this.open, this.check, this.stop, this.hint, this.again), this.said, this.hints, this.output,
        this.table, this.goals, this.evidence, this.verdict);
      this.open.addEventListener("click", () => this.write());
      this.check.addEventListener("click", () => this.go());
      this.hint.addEventListener("click", () => this.help());
      this.again.addEventListener("click", () => this.reset());
      const show = () => { this.state.textContent = { solved: "solved", begun: "begun" }[known[this.number]?.state] ?? ""; };
      shown.push(show);
      show();
      section.hidden = false;
    }

    async write() {
      const open = await this.load(kept(ANSWER + this.number) ?? this.starter, 1, () => {
        const text = this.view.text();
        keep(ANSWER + this.number, text === this.starter ? null : text);
      });
      if (!open) return;
      this.place.append(this.view.element);
      this.open.hidden = true;
      this.check.hidden = this.hint.hidden = this.again.hidden = false;
      note(this.number, "begun", 0, 0);
      this.name();
      this.view.element.querySelector(".cm-content").focus();
    }

    name() {
      const given = this.hints.children.length;
      this.hint.textContent = `Hint ${given + 1} of ${this.helps.length}`;
      this.hint.hidden = given === this.helps.length;
    }

    help() {
      this.hints.append(make("li", {}, this.helps[this.hints.children.length]));
      this.hints.hidden = false;
      note(this.number, "begun", 0, 1);
      this.name();
    }

    reset() {
      this.end("The starter is restored.");
      this.clear();
      this.view.set(this.starter);
    }

    clear() {
      super.clear();
      this.verdict.textContent = this.evidence.textContent = "";
      this.table.hidden = this.goals.hidden = true;
    }

    async go() {
      const answer = this.view.text();
      this.tried = answer !== this.starter;
      const made = await this.compile("answer", answer, `${this.number}.cu`);
      if (!made?.module) return made && note(this.number, "begun", Number(this.tried), 0);
      this.said.textContent = "Checking …";
      let report = null;
      const over = (ended) => {
        this.end("");
        this.show(report, ended);
      };
      const work = { checker: made.checker, answer: { module: made.module, about: made.about }, number: this.number };
      this.start("edit/checker.js", work, LIMIT, {
        hear: (data) => {
          if (data.report) report = data.report;
          else over(data.ended);
        },
        late: () => over({ sentence: `it was still running after ${LIMIT} seconds; is a loop endless?` }),
        failed: (message) => over({ sentence: `stopped by the browser: ${message}` }),
      });
    }

    // The goals, as the terminal has them; `ended` says how the answer ended before its end.
    show(report, ended) {
      if (!report) {
        this.said.textContent = `It could not be checked: ${ended?.sentence}`;
        return;
      }
      const goals = report.goals.map(([name, text, state, evidence]) => ({ name, text, state, evidence }));
      if (ended) {
        const missed = goals.find((goal) => goal.name === report["at stake"]) ?? goals[0];
        Object.assign(missed, { state: MISSED, evidence: report.now + ended.sentence });
        this.mark(ended.line, ended.sentence);
      }
      const first = goals.findIndex((goal) => goal.state === MISSED);
      this.table.textContent = report.shown;
      this.table.hidden = !report.shown;
      this.goals.replaceChildren(...goals.map(({ text, state, evidence }, at) => {
        const after = first >= 0 && at > first; // what comes after a miss is not the reader's next concern
        const word = after ? "-" : { [HELD]: "ok", [MISSED]: "MISSED" }[state] ?? "-";
        const figure = !after && state !== MISSED && evidence ? ` (${evidence})` : "";
        return make("li", { "data-state": word }, make("b", {}, word), make("span", {}, `${text}${figure}`));
      }));
      this.goals.hidden = false;
      this.evidence.textContent = first >= 0 ? goals[first].evidence : "";
      const here = goals.every((goal) => goal.state === HELD);
      note(this.number, here ? "solved" : "begun", Number(this.tried), 0);
      this.verdict.textContent = first >= 0 || goals.some((goal) => goal.state === UNCHECKED) ? ""
        : here ? "Solved." : `Every goal that a page can check is met. For the others: ./run exercise ${this.number}`;
    }
  }

  // --- the file -------------------------------------------------------------------------------------

  function exchange() {
    const save = button("Save progress.json");
    const file = make("input", { type: "file", accept: ".json", id: "exercise-progress" });
    const said = status("busy");
    taken.append(make("p", { class: "explore-title" }, "Transfer your progress"),
      make("p", {}, "Progress is kept in this browser. In a clone, ", make("code", {}, "./run exercise --import progress.json"), " imports it; the clone's ",
        make("code", {}, "progress.json"), " can be imported here."),
      make("div", { class: "steps" }, save, make("label", { for: "exercise-progress" }, "Read progress.json:"), file), said);
    taken.hidden = false;
    save.addEventListener("click", () => {
      const text = JSON.stringify({ exercises: known, predictions: sound(parsed(kept("predictions")), "predictions") }, null, 1);
      const link = make("a", { href: `data:application/json,${encodeURIComponent(text)}`, download: "progress.json" });
      link.click();
    });
    file.addEventListener("change", async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      const text = chosen.size <= schema.bytes ? await chosen.text() : "";
      const found = sound(parsed(text).exercises), count = Object.keys(found).length;
      for (const [number, one] of Object.entries(found)) {
        const mine = known[number] ?? one;
        known[number] = { state: [one, mine].some(({ state }) => state === "solved") ? "solved" : "begun",
          tries: Math.max(one.tries, mine.tries), hints: Math.max(one.hints, mine.hints) };
      }
      keep(KEY, JSON.stringify(known));
      for (const show of shown) show();
      said.textContent = count ? `Imported your progress on ${count} exercise${count === 1 ? "" : "s"}.` : `${chosen.name} has no progress on exercises.`;
    });
  }

  for (const section of sections) new Exercise(section);
  exchange();
  const asked = document.getElementById(location.hash.slice(1));
  if (asked?.matches("section.exercise")) asked.scrollIntoView(); // it had no height before
})();
