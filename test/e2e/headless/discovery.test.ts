import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../../support/model-server.js";
import { answerTo } from "../../support/vendors/index.js";
import { createPlace, type Place } from "../support/place.js";
import type { Ended } from "../support/smith.js";

let place: Place | undefined;
let server: ModelServer | undefined;
afterEach(async () => {
  await place?.close();
  await server?.close();
});

/** Where servers of this machine are looked for, best first; a program that has one of them already is no reason to fail. */
const PORTS = [8080, 11434, 1234];

async function startAtKnownPort(): Promise<ModelServer> {
  for (const port of PORTS) {
    try {
      return await startModelServer({ port, models: ["tiny"], script: (request, n) => answerTo(request, { text: "found" }, n) });
    } catch {
      // Taken: the next one.
    }
  }
  throw new Error(`ports ${PORTS.join(", ")} are all taken`);
}

/** A busy machine may not get an answer in the 150 ms that are waited, and then goes on without: it is asked anew in a new home. */
async function firstFound(): Promise<Ended> {
  for (let tries = 1; ; tries += 1) {
    await place?.close();
    place = createPlace({ SMITH_DISCOVERY: "on" });
    const ended = await place.run(["eval", "--no-session", "hello"]);
    if (ended.stdout === "found\n" || tries === 10) return ended;
  }
}

test("with nothing set up a server of this machine is found, used without a key, and not looked for again", async () => {
  server = await startAtKnownPort();
  const first = await firstFound();
  if (place === undefined) throw new Error("no place");
  expect([first.status, first.stdout]).toEqual([0, "found\n"]);
  const asked = server.requests.find(({ method }) => method === "POST");
  expect(asked?.body["model"]).toBe("tiny");
  expect(asked?.headers.authorization).toBeUndefined();
  const looks = (): number => server?.all.filter(({ path }) => /^\/(?:v1\/?)?$/u.test(path)).length ?? 0;
  const before = looks();
  expect(readFileSync(join(place.home, "cache", "models", "answering.json"), "utf8")).toContain('"answers":true');
  const second = await place.run(["eval", "--no-session", "hello"]);
  expect([second.status, second.stdout, looks()]).toEqual([0, "found\n", before]);
  const off = await place.run(["eval", "--no-session", "hello"], { env: { SMITH_DISCOVERY: "off" } });
  expect(off.stdout).not.toContain("found");
});
