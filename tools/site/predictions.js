"use strict";
// The questions of a page: answered here, compared with what was measured, kept in this browser.
// Without this script a question is its text, with the answer in a fold.
(() => {
const KEY = "predictions"; // in the browser's storage: page.question -> what was answered
let said = null; // what went wrong with the storage
let answers = read();

function read() {
  let text = null;
  try {
    text = localStorage.getItem(KEY);
    const found = JSON.parse(text ?? "{}");
    for (const one of Object.values(found)) {
      if (typeof one.answer !== "string" || typeof one.near !== "boolean") throw new TypeError("no answer");
    }
    return Array.isArray(found) ? {} : found;
  } catch {
    said = "This browser cannot store answers for these pages; they are lost when you leave.";
    if (text !== null) {
      said = "The answers saved in this browser cannot be read. They are set aside, and a new record begins.";
      try { localStorage.setItem(`${KEY}-damaged`, text); localStorage.removeItem(KEY); } catch { /* then it stays */ }
    }
    return {};
  }
}

function keep(id, entry) {
  if (entry) answers[id] = entry; else delete answers[id];
  try { localStorage.setItem(KEY, JSON.stringify(answers)); } catch { said ??= "This browser cannot store answers for these pages; they are lost when you leave."; }
}

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// A number as people type it: 3,500 or 3 500 or 1/8, with its unit or a % behind it.
function number(text) {
  const plain = text.trim().replace(/(\d)[\s\u202f\u00a0,](?=\d{3}(?!\d))/g, "$1").replace(/(\d),(?=\d)/g, "$1.");
  const found = plain.match(/^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?:\s*\/\s*(\d+\.?\d*))?\s*(?:%|x|[a-z/µ]+)?$/i);
  const value = found ? Number(found[1]) / (found[2] === undefined ? 1 : Number(found[2])) : NaN;
  return Number.isFinite(value) ? value : null;
}

function isNear(data, given) {
  const value = Number(data.value), limit = Number(data.limit);
  if (data.how === "factor") return given > 0 && given / value <= limit && value / given <= limit;
  return Math.abs(given - value) <= (data.how === "percent" ? Math.abs(value) * limit / 100 : limit) * (1 + 1e-9);
}

const fields = { // for each kind: what is filled in, and a function that returns the answer or what is missing
  choice(data, list) {
    const set = make("fieldset", {}, make("legend", { className: "unseen", textContent: `Your answer to question ${data.number}` }));
    const items = [...list.children];
    items.forEach((item, place) => {
      const radio = make("input", { type: "radio", name: data.id, value: String(place) });
      set.append(make("label", {}, radio, make("span", { innerHTML: item.innerHTML })));
    });
    return [set, () => {
      const chosen = set.querySelector("input:checked");
      return chosen ? { answer: items[chosen.value].textContent.trim(), near: chosen.value === data.right }
        : { missing: "Choose one of the answers first." };
    }];
  },
  number(data) {
    const input = make("input", { type: "text", inputMode: "decimal", autocomplete: "off", size: 12 });
    const label = make("label", {}, "Your answer ", input, data.unit ? ` ${data.unit}` : "");
    return [label, () => {
      const given = number(input.value);
      return given === null ? { missing: `“${input.value.trim()}” is not a number; write one like 2.5 or 1/8.` }
        : { answer: input.value.trim(), near: isNear(data, given) };
    }];
  },
  order(data, list) {
    const rows = make("ol", { className: "rows" });
    [...list.children].forEach((item, place) => {
      const row = make("li", {}, make("span", { innerHTML: item.innerHTML }));
      row.dataset.place = place;
      for (const [step, sign, word] of [[-1, "↑", "up"], [1, "↓", "down"]]) {
        const button = make("button", { type: "button", textContent: sign });
        button.setAttribute("aria-label", `Move ${item.textContent.trim()} ${word}`);
        button.addEventListener("click", () => {
          const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
          if (other) (step < 0 ? other.before(row) : other.after(row));
          button.focus();
        });
        row.append(button);
      }
      rows.append(row);
    });
    return [rows, () => ({
      answer: [...rows.children].map((row) => row.querySelector("span").textContent.trim()).join(", "),
      near: [...rows.children].map((row) => row.dataset.place).join(",") === data.right,
    })];
  },
};

function sentence(data, entry) {
  const word = data.kind !== "number" || data.limit === "0" ? (entry.near ? "Right" : "Wrong") : entry.near ? "Near" : "Not near";
  const [given, right] = data.kind === "choice" ? [`“${entry.answer}”`, `“${data.shown}”`] : [entry.answer, data.shown];
  return `${word}. You said ${given}; it is ${right}.`;
}

for (const section of document.querySelectorAll(".prediction")) {
  const data = section.dataset;
  const list = section.querySelector("ul"), fold = section.querySelector("details");
  const question = section.querySelector("p").textContent.trim();
  const [field, answered] = fields[data.kind](data, list);
  const check = make("button", { type: "submit", textContent: "Check" });
  const again = make("button", { type: "button", textContent: "Answer again", hidden: true });
  const verdict = make("p", { className: "verdict" });
  verdict.setAttribute("role", "status");
  const form = make("form", {}, field, check, again, verdict);
  form.noValidate = true;
  list ? list.replaceWith(form) : fold.before(form);
  const controls = () => field.querySelectorAll("input, button");

  const show = (entry) => {
    for (const control of controls()) control.disabled = Boolean(entry);
    check.hidden = Boolean(entry);
    again.hidden = !entry;
    verdict.dataset.near = entry ? String(entry.near) : "";
    verdict.replaceChildren(...(entry ? [sentence(data, entry), " ", make("a", { href: "page_predictions.html", textContent: "Your record" })] : []));
    fold.open = Boolean(entry);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { missing, ...entry } = answered();
    if (missing) { verdict.textContent = missing; return; }
    keep(data.id, { ...entry, shown: data.shown, question, text: sentence(data, entry) });
    show(answers[data.id]);
    again.focus();
    if (said) verdict.append(` ${said}`);
  });
  again.addEventListener("click", () => {
    keep(data.id, null);
    show(null);
    controls()[0].focus();
  });
  // An answer to what the question no longer asks is none.
  const old = answers[data.id];
  if (old && (old.question !== question || old.shown !== data.shown)) keep(data.id, null);
  else if (old) {
    const labels = [...field.querySelectorAll("label")];
    const chosen = labels.find((label) => label.textContent.trim() === old.answer);
    if (data.kind === "choice" && chosen) chosen.querySelector("input").checked = true;
    if (data.kind === "number") field.querySelector("input").value = old.answer;
    show(old);
  }
}

const record = document.getElementById("record");
if (record) {
  const total = { asked: 0, answered: 0, near: 0 };
  const lists = [];
  for (const [place, row] of [...record.querySelectorAll("tr")].entries()) {
    const cell = (text) => row.append(make(place ? "td" : "th", { textContent: text, style: "text-align:right" }));
    if (!place) { cell("right or near"); continue; }
    const link = row.querySelector("a");
    const page = link.getAttribute("href").replace(/^page_|\.html.*$/g, "");
    const own = Object.entries(answers).filter(([id]) => id.startsWith(`${page}.`)).map(([, entry]) => entry);
    const near = own.filter((entry) => entry.near).length;
    total.asked += Number(row.cells[1].textContent);
    total.answered += own.length;
    total.near += near;
    cell(own.length ? `${near} of ${own.length}` : "");
    if (own.length) {
      lists.push(make("h2", { textContent: link.textContent }), make("ul", {}, ...own.map((entry) => {
        const item = make("li", {}, make("span", { textContent: entry.question }), make("br"), entry.text);
        item.dataset.near = String(entry.near);
        return item;
      })));
    }
  }
  const sum = make("p", { textContent: total.answered ? `${total.answered} of ${total.asked} answered, ${total.near} of them right or near.`
    : `None of the ${total.asked} questions answered yet.` });
  sum.setAttribute("role", "status");
  if (said) sum.append(` ${said}`);
  const forget = make("button", { type: "button", textContent: "Forget all answers", hidden: !total.answered });
  forget.addEventListener("click", () => {
    if (!forget.dataset.asked) {
      forget.dataset.asked = "yes";
      forget.textContent = `Really forget ${total.answered} answers?`;
      return;
    }
    answers = {};
    keep("", null);
    location.reload();
  });
  record.append(sum, ...lists, forget);
}

// Answers given on another page that is open, or on the one before, whose last may come after this one was read.
window.addEventListener("storage", (event) => {
  if (event.key !== KEY) return;
  answers = read();
  if (record) location.reload();
});
})();
