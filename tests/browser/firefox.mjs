// An exercise, wrong and right, and a kernel that is edited, in Firefox: firefox.mjs PUPPETEER FIREFOX SITE, told as a line of JSON.
import { pathToFileURL } from "node:url";

const [, , puppeteer, executablePath, site] = process.argv;
const { default: driver } = await import(pathToFileURL(puppeteer));
const browser = await driver.launch({ browser: "firefox", executablePath, headless: true, timeout: 120000, protocolTimeout: 240000 });
const page = await browser.newPage(), wrong = [];
page.on("console", (message) => { if (message.type() === "error") wrong.push(message.text()); });
page.on("pageerror", (error) => wrong.push(String(error)));

const press = (section, words) => page.evaluate((at, said) => {
  [...document.querySelectorAll(`${at} button`)].find((button) => button.textContent === said).click();
}, section, words);
const text = (selector) => page.$$eval(selector, (found) => found.map((one) => one.textContent));
async function open(name, section, words) {
  await page.goto(`${site}/page_${name}.html`);
  await page.waitForSelector(section);
  await page.$eval(section, (one) => one.scrollIntoView());
  await page.waitForFunction((at, said) => [...document.querySelectorAll(`${at} button`)].some((one) => one.textContent === said), {}, section, words);
  await press(section, words);
  await page.waitForSelector(`${section} .cm-content`);
}
const over = (section) => page.waitForFunction((at) => !document.querySelector(`${at} .busy`).textContent, { timeout: 240000 }, section);

const exercise = "[id='exercise-01.1']", told = {};
async function check() {
  await press(exercise, "Check");
  await over(exercise);
  return { goals: await text(`${exercise} .goals b`), below: (await text(`${exercise} .evidence, ${exercise} .verdict`)).join(" ") };
}
await open("01_basic_vecadd", exercise, "Write it here");
told.starter = await check();
await page.evaluate((at) => {
  const line = [...document.querySelectorAll(`${at} .cm-line`)].find((one) => one.textContent.includes("= threadIdx.x;"));
  const range = document.createRange();
  range.selectNodeContents(line);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  document.execCommand("insertText", false, "    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;");
}, exercise);
told.right = await check();

const figure = "#explore-coarsening";
await open("03_coarsening", figure, "Edit this kernel");
await press(figure, "Run");
await over(`${figure} .editing`);
told.figure = (await text(`${figure} .editing .verdict`)).join(" ");
console.log(JSON.stringify({ ...told, wrong }));
await browser.close();
