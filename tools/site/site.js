"use strict";
// Theme, contents on a phone, copy buttons, search. Nothing is fetched from elsewhere.

document.getElementById("theme").addEventListener("click", () => {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  localStorage.setItem("theme", theme);
});

const nav = document.getElementById("nav");
const menu = document.getElementById("menu");
function showNav(open) {
  nav.classList.toggle("open", open);
  menu.setAttribute("aria-expanded", String(open));
}
menu.addEventListener("click", () => showNav(!nav.classList.contains("open")));
document.getElementById("main").addEventListener("click", () => showNav(false));
nav.addEventListener("click", (event) => { if (event.target.closest("a")) showNav(false); });
const here = nav.querySelector("[aria-current]");
if (here) nav.scrollTop = here.offsetTop - nav.clientHeight / 3;

// What a copy takes: of a difference the lines as they are now, of a session what was typed, of a command the command
// without its remark.
function copied(code) {
  let lines = code.textContent.trimEnd().split("\n");
  if (code.matches(".diff")) lines = lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
  const typed = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  return (typed.length ? typed : lines).map((line) => line.replace(/^(\s*\.\/\S.*?)(?:\s{2,}|\s+# ).*$/, "$1").trimEnd()).join("\n") + "\n";
}

for (const code of document.querySelectorAll("main .fragment")) {
  const box = document.createElement("div");
  box.className = "code-box";
  code.replaceWith(box);
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this code");
  box.append(code, button);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(copied(code));
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// What has to be scrolled sideways is reached by the keyboard.
const wide = document.querySelectorAll("main .fragment, main .scroll, main figure");
function reach() {
  const over = [...wide].map((box) => box.scrollWidth > box.clientWidth);
  wide.forEach((box, place) => { if (over[place]) box.tabIndex = 0; else box.removeAttribute("tabindex"); });
}
addEventListener("resize", reach);
reach();

const field = document.getElementById("search");
const found = document.getElementById("found");
let loading = null;
function loadIndex() { // once, when it is first wanted
  const load = (source) => new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = resolve;
    document.head.append(script);
  });
  loading ??= Promise.all([load("lunr.min.js"), load("search_data.js")]);
  return loading;
}

// Titles weigh most; a page more than a section of one, the reference and lists of sources least.
let index = null;
function prepare() {
  lunr.tokenizer.separator = /[^\p{L}\p{N}_]+/u;
  index ??= lunr(function () {
    this.ref("place");
    for (const [name, boost] of [["title", 20], ["names", 10], ["text", 1], ["code", 2]]) this.field(name, { boost });
    window.searchData.forEach(([title, page, , text, names, code], place) => this.add({ place, title, names, text, code },
      { boost: page === "reference" ? 0.001 : title === "References" ? 0.1 : page ? 1 : 1.7 }));
  });
}

// What has the words or begins with them; where there is nothing, what has words like them: two letters may be wrong of eight,
// one of four. Names with :: are looked up in the reference.
function find(words, scoped) {
  const looked = (ask) => index.query((query) => { for (const word of words) ask(query, word); });
  let hits = looked((query, word) => {
    query.term(word, { boost: 10 });
    query.term(word, { usePipeline: false, wildcard: lunr.Query.wildcard.TRAILING });
  });
  if (!hits.length) hits = looked((query, word) => query.term(word, { editDistance: word.length < 4 ? 0 : word.length < 8 ? 1 : 2 }));
  return hits.map(({ ref }) => window.searchData[ref]).filter(([, page]) => !scoped || page === "reference").slice(0, 12);
}

function excerpt(parent, text, words) {
  const stems = words.map((word) => lunr.stemmer(new lunr.Token(word)).toString());
  const spot = text.match(new RegExp(`(?<![\\p{L}\\p{N}_])(?:${stems.join("|")})[\\p{L}\\p{N}_]*`, "iu"));
  if (!spot) return;
  const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, spot.index - 50))), end = spot.index + spot[0].length;
  const line = document.createElement("p");
  const mark = document.createElement("mark");
  mark.textContent = spot[0];
  line.append(text.slice(start, spot.index), mark, text.slice(end, end + 90) + " …");
  parent.append(line);
}

async function search() {
  const query = field.value.trim();
  if (query.length < 2) { found.hidden = true; return; }
  await loadIndex();
  prepare();
  const split = (text) => text.toLowerCase().split(lunr.tokenizer.separator).filter(Boolean), asked = split(query);
  const words = [...asked, ...split(window.searchSynonyms[asked.join(" ")] ?? "")];
  const hits = words.length ? find(words, query.includes("::")) : [];
  found.replaceChildren(...hits.map(([title, page, address, text]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const where = document.createElement("small");
    link.href = address;
    where.textContent = page;
    link.append(title, where);
    excerpt(link, text, words);
    item.append(link);
    return item;
  }));
  if (!hits.length) {
    const none = document.createElement("li");
    none.textContent = `No results for “${query}”.`;
    found.append(none);
  }
  found.hidden = false;
}
field.addEventListener("keydown", async (event) => { // Enter goes to the first that is found
  if (event.key !== "Enter") return;
  await search();
  found.querySelector("a")?.click();
});
field.addEventListener("input", search);
found.addEventListener("click", (event) => { if (event.target.closest("a")) found.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape") {
    if (found.contains(document.activeElement)) field.focus(); // what is hidden keeps no focus
    found.hidden = true;
    showNav(false);
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !found.hidden) {
    const links = [...found.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    (links[next] ?? field).focus();
    event.preventDefault();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) found.hidden = true;
});
