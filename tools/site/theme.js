"use strict";
// Before anything is shown: the theme that the reader chose, or else the system's.
document.documentElement.dataset.theme = localStorage.getItem("theme") ||
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
