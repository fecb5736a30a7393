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

// A copy has no line numbers, and of a difference the lines as they are now.
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
    const diff = box.closest(".diff");
    const lines = [...code.querySelectorAll(".line:not(.removed)")].map((line) => {
      const copy = line.cloneNode(true);
      copy.querySelectorAll(".lineno").forEach((number) => number.remove());
      return diff ? copy.textContent.slice(1) : copy.textContent;
    });
    try {
      await navigator.clipboard.writeText(lines.join("\n") + "\n");
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

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

// Every word must occur; titles weigh more than text, the book more than the reference.
function find(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = [];
  for (const [title, page, address, text] of window.searchData) {
    let score = page === "reference" ? 0 : 1;
    for (const word of words) {
      const inTitle = (title + " " + page).toLowerCase().includes(word);
      if (!inTitle && !text.toLowerCase().includes(word)) { score = -1; break; }
      score += title.toLowerCase() === word ? 20 : inTitle ? 5 : 1;
    }
    if (score >= 0) hits.push({ title, page, address, text, score });
  }
  return hits.sort((a, b) => b.score - a.score).slice(0, 12).map((hit) => ({ ...hit, words }));
}

function excerpt(parent, text, words) {
  const phrase = [words.join(" "), words[0]].find((part) => text.toLowerCase().includes(part));
  if (!phrase) return;
  const at = text.toLowerCase().indexOf(phrase);
  const start = Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 50)));
  const line = document.createElement("p");
  const mark = document.createElement("mark");
  mark.textContent = text.slice(at, at + phrase.length);
  line.append(text.slice(start, at), mark, text.slice(at + phrase.length, at + 90) + " …");
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
  if (!hits.length) found.textContent = `Nothing about “${query}”.`;
  found.hidden = false;
}
field.addEventListener("input", search);
found.addEventListener("click", (event) => { if (event.target.closest("a")) found.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape") {
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
