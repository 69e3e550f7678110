/** Functions the code finds in its scope. Text, because they run in the sandbox of the evaluation. */
export const PRELUDE = String.raw`
const lines = (text) => { const all = String(text).split(/\r\n|\n|\r/); if (all.at(-1) === "") all.pop(); return all; };
const jsonl = (text) => lines(text).filter((line) => line.trim() !== "").map((line, index) => {
  try { return JSON.parse(line); } catch (error) { throw new SyntaxError("line " + (index + 1) + " is not JSON: " + error.message); }
});
const csv = (text, { header = true, separator = "," } = {}) => {
  const source = String(text).replace(/^\uFEFF/, "");
  const rows = []; let row = [], field = "", quoted = false, touched = false;
  for (let at = 0; at < source.length; at += 1) {
    const mark = source[at];
    if (quoted) {
      if (mark !== '"') field += mark;
      else if (source[at + 1] === '"') { field += '"'; at += 1; }
      else quoted = false;
    } else if (mark === '"' && field === "") { quoted = true; touched = true; }
    else if (mark === separator) { row.push(field); field = ""; touched = true; }
    else if (mark === "\n" || mark === "\r") {
      if (mark === "\r" && source[at + 1] === "\n") at += 1;
      if (touched || field !== "") { row.push(field); rows.push(row); }
      row = []; field = ""; touched = false;
    } else field += mark;
  }
  if (quoted) throw new SyntaxError("a quoted field of row " + (rows.length + 1) + " does not end");
  if (touched || field !== "") { row.push(field); rows.push(row); }
  if (!header) return rows;
  const [names = [], ...body] = rows;
  return body.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""])));
};
const toCsv = (rows, { separator = "," } = {}) => {
  const list = [...rows]; if (list.length === 0) return "";
  const cell = (value) => { const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value); return text.includes(separator) || /["\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text; };
  if (Array.isArray(list[0])) return list.map((row) => row.map(cell).join(separator)).join("\n") + "\n";
  const names = [...new Set(list.flatMap((row) => Object.keys(row)))];
  return [names, ...list.map((row) => names.map((name) => row[name]))].map((row) => row.map(cell).join(separator)).join("\n") + "\n";
};
const sum = (list) => { let total = 0; for (const value of list) total += Number(value); return total; };
const keyOf = (key) => typeof key === "function" ? key : (item) => item?.[key];
const groupBy = (list, key) => { const groups = Object.create(null); for (const item of list) (groups[keyOf(key)(item)] ??= []).push(item); return groups; };
const countBy = (list, key) => Object.fromEntries(Object.entries(groupBy(list, key)).map(([name, items]) => [name, items.length]));
const { input, files } = given;
const plain = (_, item) => {
  if (item instanceof Map) { const entries = [...item]; return entries.every(([key]) => typeof key !== "object") ? Object.fromEntries(entries) : entries; }
  if (item instanceof Set) return [...item];
  if (item instanceof RegExp || item instanceof Error || typeof item === "bigint" || typeof item === "number" && !Number.isFinite(item)) return String(item);
  if (typeof item?.then === "function") throw new TypeError("there is a promise in it; await it, several with Promise.all");
  return item;
};
const asJson = (value) => { const text = JSON.stringify(value, plain); return text === undefined ? null : JSON.parse(text); };
let logged = "";
const shown = (part) => {
  if (typeof part === "string") return part;
  try { return JSON.stringify(part, plain) ?? String(part); } catch (error) { return "(cannot be shown: " + error.message + ")"; }
};
const say = (...parts) => {
  if (logged.length > 8000) return;
  logged += parts.map(shown).join(" ").slice(0, 8000) + "\n";
};
const console = { log: say, info: say, warn: say, error: say, debug: say };
`;

/** Lines that stand before the code's own first one. */
export const PRELUDE_LINES = PRELUDE.split("\n").length + 1;
