// A whole program, or a chapter with what its fields say, runs here: in a worker that the page ends when it takes too long. Next to its
// memory it has a clock, numbers by chance and an output: no network, no storage, no page.
import { runProgram } from "./checking.js";

const MOST = 256 << 10; // letters that it may write
const PAUSE = 100; // ms between two parts of what it writes

onmessage = ({ data: { checker, program, columns, chapter } }) => {
  let words = "", told = 0, last = performance.now(), cut = false;
  const pass = () => {
    if (words) postMessage({ words });
    words = "";
    last = performance.now();
  };
  const say = (more, always) => {
    if (!always && told + more.length > MOST) {
      if (!cut) words += more.slice(0, MOST - told) + "\n... output truncated.\n";
      cut = true;
      told = MOST;
    } else {
      words += more;
      if (!always) told += more.length;
    }
    if (performance.now() - last > PAUSE) pass();
  };
  const ended = runProgram(checker, program, { columns, say, chapter });
  pass();
  postMessage({ ended });
};
