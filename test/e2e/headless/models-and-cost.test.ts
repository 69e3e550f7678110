import { afterEach, describe, expect, test } from "vitest";
import { call, say } from "../../support/model-server.js";
import { createScripted, type Scripted } from "../support/scripted.js";
import { lastEvent } from "../support/smith.js";

let place: Scripted | undefined;
afterEach(async () => {
  await place?.close();
  place = undefined;
});

/** As a person prices a model of their own server. */
const priced = (model: string): string =>
  `models {\n  model "openai-compatible/${model}" { context 200000; output 32000; tools #true; sampling #true; price input=1000000 output=1000000; }\n}\n`;

const modelsAsked = ({ server }: Scripted): readonly unknown[] => server.requests.map(({ body }) => body["model"]);

describe("a session", () => {
  test("goes on with the model that was chosen in it, unless the run says otherwise", async () => {
    place = await createScripted({ script: () => say("ok") }, { SMITH_MODEL: "" });
    expect((await place.run(["eval", "--model", "openai-compatible/first", "one"])).status).toBe(0);
    expect((await place.run(["eval", "-c", "two"])).status).toBe(0);
    expect((await place.run(["eval", "-c", "--model", "openai-compatible/other", "three"])).status).toBe(0);
    expect((await place.run(["eval", "-c", "four"])).status).toBe(0);
    expect(modelsAsked(place)).toEqual(["first", "first", "other", "first"]);
  });

  test("whose model is not there any more says so, goes on with the default, and keeps the choice", async () => {
    place = await createScripted({ script: () => say("ok") }, { SMITH_MODEL: "" });
    const { OPENAI_BASE_URL = "" } = place.env;
    expect((await place.run(["eval", "--model", "openai-compatible/first", "one"])).status).toBe(0);
    const without = await place.run(["eval", "-c", "two"], { env: { OPENAI_BASE_URL: "", OPENAI_API_KEY: "" } });
    expect(without.status).toBe(0);
    expect(without.stderr).toContain("session.model-unusable");
    expect(without.stderr).toContain("openai-compatible/first");
    expect((await place.run(["eval", "-c", "three"], { env: { OPENAI_BASE_URL } })).status).toBe(0);
    expect(modelsAsked(place)).toEqual(["first", "first"]);
  });
});

describe("--max-cost", () => {
  test("ends the run once that much was spent, and says how much it was", async () => {
    place = await createScripted({ script: () => call("list", { path: "." }) });
    place.config(priced("scripted"));
    const { status, stdout, stderr } = await place.run(["eval", "--json", "--max-cost", "0.5", "go"]);
    expect(status).toBe(1);
    const end = lastEvent(stdout);
    expect(end).toMatchObject({ type: "run_end", status: "limit", reason: "cost" });
    expect(end["cost"]).toBeGreaterThan(0.5);
    expect(stdout + stderr).toMatch(/\$\d+\.\d\d was spent; the limit is \$0\.50/u);
    const listed = await place.run(["sessions", "list", "--cost"]);
    expect(listed.stdout).toMatch(/\$\d+\.\d\d/u);
  });

  test("tells once that a model has no known price", async () => {
    place = await createScripted({ script: [call("list", { path: "." }), call("list", { path: "." }), say("done")] });
    const { status, stderr, stdout } = await place.run(["eval", "--json", "--max-cost", "0.5", "go"]);
    expect(status).toBe(0);
    expect(`${stdout}${stderr}`.match(/"type":"notice"[^\n]*openai-compatible\/scripted/gu)).toHaveLength(1);
    expect(lastEvent(stdout)).toMatchObject({ status: "ok", unpriced: 3 });
  });
});
