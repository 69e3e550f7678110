import { test } from "smith-agent/plugin";
import { isExpected } from "../src/expression.js";

const allowed = new Set(["mit", "isc", "apache-2.0"]);

test("one license is expected when it is among the allowed, however it is written", (t) => {
  for (const text of ["MIT", "mit", " ISC ", "(MIT)", "Apache-2.0 WITH LLVM-exception"]) t.ok(isExpected(text, allowed), text);
  for (const text of ["GPL-3.0-only", "UNLICENSED", "SEE LICENSE IN LICENSE.txt", ""]) t.ok(!isExpected(text, allowed), text);
});

test("of a choice one must be expected, of a sum all", (t) => {
  for (const text of ["MIT OR GPL-3.0", "(GPL-3.0 OR ISC)", "MIT AND ISC", "MIT AND (GPL-3.0 OR ISC)"])
    t.ok(isExpected(text, allowed), text);
  for (const text of ["GPL-2.0 OR GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0"]) t.ok(!isExpected(text, allowed), text);
});

test("what is no expression is not expected", (t) => {
  for (const text of ["MIT OR", "OR MIT", "(MIT", "MIT)", "MIT ISC", "AND"]) t.ok(!isExpected(text, allowed), text);
});
