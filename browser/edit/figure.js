// A figure whose kernel a reader has edited is asked here: in a worker that the page ends when it takes too long.
import { figures } from "./checking.js";

// What follows a fault would find the engine in the middle of a launch.
onmessage = ({ data: { checker, program, questions } }) => {
  const { ask, line } = figures(checker, program);
  for (const [question, settings] of questions) {
    try {
      postMessage({ answer: ask(question, settings) });
    } catch (error) {
      return postMessage({ fault: error.sentence ?? `stopped by the browser (${error.message}).`, line: line() });
    }
  }
};
