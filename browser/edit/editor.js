// The editor of a kernel: CodeMirror, bundled by esbuild into one script, which a page loads on the reader's click.
import { cpp } from "@codemirror/lang-cpp";
import { setDiagnostics } from "@codemirror/lint";
import { EditorView, lineNumbers } from "@codemirror/view";
import { basicSetup } from "codemirror";

window.figuresEditor = (text, first, changed) => {
  const view = new EditorView({
    doc: text,
    extensions: [lineNumbers({ formatNumber: (number) => String(number + first - 1) }), basicSetup, cpp(), EditorView.lineWrapping, EditorView.contentAttributes.of({ "aria-label": "The kernel, to be edited" }),
      EditorView.updateListener.of((update) => update.docChanged && changed())],
  });
  view.scrollDOM.tabIndex = 0; // to be scrolled by keys, too
  return {
    element: view.dom,
    text: () => view.state.doc.toString(),
    set: (other) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } }),
    // Marks at lines as the chapter's source counts them: {line, column, message, severity}.
    tell: (marks) => view.dispatch(setDiagnostics(view.state, marks.flatMap(({ line, column = 1, message, severity }) => {
      if (line < first || line - first >= view.state.doc.lines) return [];
      const { from, to } = view.state.doc.line(line - first + 1);
      return [{ from: Math.min(from + column - 1, to), to, message, severity }];
    }))),
  };
};
