// The types of functions in front of who calls them: clang 14 wants them there, and does not write them there; of those that it calls
// for an operation of its own, nowhere.
const OPERATIONS = { expf: 1, logf: 1, fmaxf: 2, fminf: 2, fmaf: 3, exp: 1, pow: 2, sin: 1, cos: 1, fmin: 2, fmax: 2 }; // their arguments
export function typesFirst(assembly) {
  const types = [...new Set(assembly.toString().match(/^\t\.functype\t.*$/gm))];
  for (const [name, count] of Object.entries(OPERATIONS)) {
    const type = name.endsWith("f") ? "f32" : "f64";
    types.push(`\t.functype\t${name} (${Array(count).fill(type).join(", ")}) -> (${type})`);
  }
  return `${types.join("\n")}\n${assembly}`;
}
