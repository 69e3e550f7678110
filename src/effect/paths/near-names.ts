import { opendir } from "node:fs/promises";
import { parse } from "node:path";
import { closest } from "../../base/index.js";
import type { Diagnostic } from "../../schema/index.js";
import { errnoOf, notFound } from "./failures.js";
import type { Place } from "./grants.js";
import { type BytePath, bytesOf, fromBytes, showName } from "./names.js";
import { baseOf, parentOf } from "./resolve.js";

/** Names of a folder that are looked at, and given. */
const MAX_NAMES = 2_000;
const MAX_GIVEN = 3;

/**
 * That there is nothing at a place, with the names beside it that may have been meant: the nearest one, and those that differ in their
 * ending alone.
 */
export async function missingAt({ real, shown }: Pick<Place, "real" | "shown">, next?: string): Promise<Diagnostic> {
  const near = nearNames(showName(baseOf(real)), await namesIn(parentOf(real)));
  if (near.length === 0) return notFound(shown, next);
  const folder = shown.slice(0, shown.length - showName(baseOf(real)).length);
  return notFound(shown, `Did you mean ${near.map((name) => `${folder}${name}`).join(" or ")}?`);
}

function nearNames(wanted: string, names: readonly string[]): readonly string[] {
  const plain = names.map(plainOf);
  const found = closest(plainOf(wanted), plain);
  const nearest = found === undefined ? undefined : names[plain.indexOf(found)];
  const stem = parse(wanted).name.toLowerCase();
  const alike = names.filter((name) => parse(name).name.toLowerCase() === stem).toSorted();
  return [...new Set([...(nearest === undefined ? [] : [nearest]), ...alike])].slice(0, MAX_GIVEN);
}

/** What is escaped is one character, whatever it is: who guessed at it is near. */
const plainOf = (name: string): string => name.replaceAll(/\\(?:x[0-9a-f]{2}|u\{[0-9a-f]+\}|.)/gu, "?");

/** None where the folder is missing as well, or may not be listed. */
async function namesIn(folder: BytePath): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    // One character a byte: names are bytes, and need not be text.
    for await (const { name } of await opendir(bytesOf(folder), { encoding: "latin1" })) {
      names.push(showName(fromBytes(Buffer.from(name, "latin1"))));
      if (names.length === MAX_NAMES) break;
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
  return names;
}
