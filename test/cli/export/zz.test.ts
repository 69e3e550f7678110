import { test } from "vitest";
import { richText } from "../../../src/cli/sessions/export/rich-text.js";
test("slow", () => {
  const n = 99_000;
  for (const unit of [
    "> ",
    "[",
    "- ",
    "*a ",
    "<",
    "`a",
    "![",
    "**a",
    "[a](",
    "a_",
    "~~a",
    "|a",
    "<a ",
    "&",
    "\\",
    "www.a",
    "a@",
    "[a]: b\n",
    "1. a\n",
    "    ",
    "\t",
    "`",
    "a\n\n",
    "- a\n ",
    "((",
    "<!--",
    "<![CDATA[",
    "http://a",
    "[a][b]",
    "*",
    "_",
    "__a__",
    "*_",
    "[[]",
    "a:",
    "|-",
    "| a\n|-\n",
    "#",
    "=\n",
    "[^a]",
    "<b>",
    '![a](b "',
    "[a](<b",
    "[](",
  ]) {
    const text = unit.repeat(Math.floor(n / unit.length));
    const t = performance.now();
    const out = richText(text).html;
    const ms = performance.now() - t;
    if (ms > 300) console.log(JSON.stringify(unit), Math.round(ms), out.startsWith('<div class="verb'));
  }
}, 600_000);
