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

// What a copy takes: no line numbers, of a difference the lines as they are now, of a session what was
// typed, of a command the command without its remark.
function copied(code, diff) {
  const lines = code.tagName === "PRE" ? code.textContent.trimEnd().split("\n")
    : [...code.querySelectorAll(".line:not(.removed)")].map((line) => {
      const copy = line.cloneNode(true);
      copy.querySelectorAll(".lineno").forEach((number) => number.remove());
      return diff ? copy.textContent.slice(1) : copy.textContent;
    });
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
      await navigator.clipboard.writeText(copied(code, box.closest(".diff")));
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// What has to be scrolled sideways is reached by the keyboard.
const wide = document.querySelectorAll("main .fragment, main .scroll, main figure, .memproto");
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
  loading ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "search_data.js";
    script.onload = resolve;
    document.head.append(script);
  });
  return loading;
}

// "coalescing", "coalesced" and "coalesce" are one word to the search, and so are "copy" and "copies".
const stems = new Map();
function stem(word) {
  if (!stems.has(word)) {
    let short = word.replace(/(?<=[a-z]{3})ies$/, "y").replace(/(?<=[a-z]{2}[^su])s$/, "");
    short = short.replace(/(?<=[a-z]{4})(?:at(?:ion|ed|ing|e)|m(?:ent))$|(?<=[a-z]{3})(?:ing|ed|e)$/, "");
    if (short !== word) short = short.replace(/([b-df-hj-km-np-rtv-z])\1$/, "$1");
    stems.set(word, short.replace(/(?<=[a-z]{3})y$/, "i"));
  }
  return stems.get(word);
}
const stemmed = (text) => (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).map(stem);

let entries = null; // of the index, stemmed, once
function prepare() {
  entries ??= window.searchData.map(([title, page, address, text, names = "", code = ""]) => ({ title, page, address, text,
    api: page === "reference", sources: title === "References", name: ` ${stemmed(`${title} ${names}`).join(" ")} `,
    exact: stemmed(title).join(" "), all: ` ${stemmed(`${title} ${names} ${page} ${text} ${code}`).join(" ")} ` }));
}

// How many letters must be typed, left out, replaced or exchanged with their neighbour to make one word the other; `most` is enough.
function distance(one, other, most) {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before = [], row = [...Array(other.length + 1).keys()];
  for (let i = 1; i <= one.length; ++i) {
    const next = [i];
    for (let j = 1; j <= other.length; ++j) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[other.length];
}

// A word that no page has becomes the one most like it: two letters may be wrong of eight, one of four.
let known = null; // how often each word stands in the index
function meant(word) {
  if (!known) {
    known = new Map();
    for (const entry of entries) for (const each of entry.all.trim().split(" ")) known.set(each, (known.get(each) ?? 0) + 1);
  }
  if (word.length < 4 || entries.some((entry) => entry.all.includes(` ${word}`))) return word;
  const most = word.length < 8 ? 1 : 2;
  let best = word, rank = most + 1;
  for (const [each, times] of known) {
    const far = distance(word, each, most) - times / 1e6; // of words as near, the commonest
    if (far < rank && far <= most) [best, rank] = [each, far];
  }
  return best;
}

// Every word must occur, as the beginning of one; titles weigh more than text, pages more than the reference, and prose
// more than a list of sources.
function score(entry, words, api) {
  const phrase = ` ${words.join(" ")}`;
  if (!words.every((word) => entry.all.includes(` ${word}`))) return 0;
  if (entry.exact === phrase.trim()) return 200;
  let found = (entry.name.includes(phrase) ? 40 : 0) + Math.min(20, 5 * (entry.all.split(phrase).length - 1));
  for (const word of words) {
    found += (entry.name.includes(` ${word}`) ? 8 : 0) + Math.min(4, entry.all.split(` ${word}`).length - 1);
  }
  return entry.api ? found * api : entry.sources ? found / 10 : found;
}

function find(query) {
  prepare();
  const asked = stemmed(query).map(meant), phrases = [asked], api = query.includes("::") ? 10 : 0.001;
  for (const [key, other] of Object.entries(window.searchSynonyms)) {
    if (asked.join(" ") === stemmed(key).join(" ")) phrases.push(stemmed(other));
  }
  if (!asked.length) return [];
  return entries.map((entry) => ({ ...entry, words: phrases.find((words) => score(entry, words, api)),
    score: Math.max(...phrases.map((words) => score(entry, words, api))) }))
    .filter((hit) => hit.score > 0).sort((a, b) => b.score - a.score).slice(0, 12);
}

function excerpt(parent, text, words) {
  const spots = [...text.matchAll(/[\p{L}\p{N}_]+/gu)];
  const fits = (spot, word) => spot && stem(spot[0].toLowerCase()).startsWith(word);
  let first = spots.findIndex((_, place) => words.every((word, k) => fits(spots[place + k], word)));
  let last = first + words.length - 1;
  if (first < 0) first = last = spots.findIndex((spot) => fits(spot, words[0]));
  if (first < 0) return;
  const at = spots[first].index, end = spots[last].index + spots[last][0].length;
  const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 50)));
  const line = document.createElement("p");
  const mark = document.createElement("mark");
  mark.textContent = text.slice(at, end);
  line.append(text.slice(start, at), mark, text.slice(end, end + 90) + " …");
  parent.append(line);
}

async function search() {
  const query = field.value.trim();
  if (query.length < 2) { found.hidden = true; return; }
  await loadIndex();
  const hits = find(query);
  found.replaceChildren(...hits.map((hit) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const page = document.createElement("small");
    link.href = hit.address;
    page.textContent = hit.page;
    link.append(hit.title, page);
    excerpt(link, hit.text, hit.words);
    item.append(link);
    return item;
  }));
  if (!hits.length) {
    const none = document.createElement("li");
    none.textContent = `Nothing about “${query}”.`;
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
