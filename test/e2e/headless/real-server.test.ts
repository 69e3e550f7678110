import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Reply, startModelServer, type ModelServer } from "../../support/model-server.js";
import { answerTo, itemsOf } from "../../support/vendors/index.js";
import { createPlace, type Place } from "../support/place.js";
import { eventsOfType, lastEvent } from "../support/smith.js";

/**
 * One scenario for three APIs: against the server LLAMA_SERVER_URL names when there is one (a random model that calls what it likes is
 * enough), else against the scripted one.
 */
const REAL = process.env["LLAMA_SERVER_URL"];

/** A random model rarely says that it is done. */
const ENDS = REAL === undefined ? ["ok"] : ["ok", "limit", "maxTurns"];

let scripted: ModelServer | undefined;
let place: Place;
let origin = "";
beforeAll(async () => {
  if (REAL === undefined) {
    scripted = await startModelServer({
      script: (request, n): Reply =>
        answerTo(
          request,
          itemsOf(request).at(-1)?.type === "result" ? { text: "It says so." } : { calls: [{ name: "read", args: { path: "note.txt" } }] },
          n,
        ),
    });
  }
  origin = (REAL ?? scripted?.url ?? "").replace(/\/+$/u, "").replace(/\/v1$/u, "");
  place = createPlace();
  place.file("note.txt", "the note\n");
  place.config(`connections {\n  connection "here" provider="openai" base-url="${origin}/v1" key="none" profile="compatible"\n}\n`);
});
afterAll(async () => {
  await place.close();
  await scripted?.close();
});

describe("a server of this machine, without a key", () => {
  test.each([
    ["Chat Completions", [], () => ({ LLAMA_SERVER_URL: origin })],
    ["Messages", [], () => ({ ANTHROPIC_BASE_URL: origin })],
    ["Responses", ["--model", "here"], () => ({})],
  ] as const)(
    "%s: a tool turn, and a second prompt in the same session",
    async (_name, model, env) => {
      const flags = [...model, "--mode", "read-only", "--max-turns", "2", "--deadline", "100s"];
      const limits = { SMITH_MAX_OUTPUT: "60" };
      const first = await place.run(["eval", "--json", ...flags, "Read note.txt with the tool read."], { env: { ...env(), ...limits } });
      expect(ENDS).toContain(lastEvent(first.stdout)["status"]);
      if (REAL === undefined) {
        expect(eventsOfType(first.stdout, "tool_end")).toMatchObject([{ name: "read", isError: false }]);
        expect(lastEvent(first.stdout)).toMatchObject({ status: "ok", reply: "It says so." });
      }
      const second = await place.run(["eval", "-c", "--json", ...flags, "And again?"], { env: { ...env(), ...limits } });
      expect(ENDS).toContain(lastEvent(second.stdout)["status"]);
      expect(eventsOfType(second.stdout, "assistant").length).toBeGreaterThan(0);
      expect(Number((lastEvent(second.stdout)["usage"] as { inputTokens?: number } | undefined)?.inputTokens)).toBeGreaterThan(0);
    },
    240_000,
  );
});
