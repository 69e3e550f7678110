/** Prints what is in a session file as JSON: `node print.mjs FILE`. */
import { readFileSync } from "node:fs";
import { decode, toJson } from "./decoder.mjs";

process.stdout.write(`${toJson(decode(readFileSync(process.argv[2])))}\n`);
