import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APIS, itemsOf, refusalTo } from "../../support/vendors/index.js";
import { eventsOfType, lastEvent } from "../support/smith.js";
import { createVendors, lastAsked, MODELS, type Vendors, vendorConfig } from "../support/vendors.js";

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const JPEG = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]),
  Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]),
  Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0x3f, 0, 0x12, 0x34, 0xff, 0xd9]),
]);
const BLIND = '  model "openai-compatible/blind" { context 200000; output 32000; images #false; tools #true }\n';

let here: Vendors;
beforeAll(async () => {
  here = await createVendors();
  here.config(vendorConfig(here.origin).replace("models {\n", `models {\n${BLIND}`));
  mkdirSync(`${here.work}/pictures`);
  writeFileSync(`${here.work}/pictures/shot.png`, PNG);
  writeFileSync(`${here.work}/photo.png`, JPEG);
  writeFileSync(`${here.work}/logo.png`, "<!doctype html>nope");
  writeFileSync(`${here.work}/empty.jpg`, "");
  writeFileSync(`${here.work}/cut.png`, PNG.subarray(0, 40));
});
afterAll(() => here.close());

const reads = (...paths: readonly string[]) => ({ calls: paths.map((path) => ({ name: "read", args: { path } })) });
const imagesAsked = (): number => itemsOf(lastAsked(here)).reduce((sum, item) => sum + ("images" in item ? item.images : 0), 0);
const body = (): string => JSON.stringify(lastAsked(here).body);

describe.each(APIS)("%s: an image that a tool read", (api) => {
  const args = (...words: readonly string[]): readonly string[] => ["eval", "--model", MODELS[api], ...words];

  test("is seen by the model at once, in the next run and in a fork; what is shown of it to people is its size", async () => {
    here.script([reads("pictures/shot.png"), { text: "a dot" }]);
    const first = await here.run(args("--json", "look"));
    expect([first.status, here.server.complaints]).toEqual([0, []]);
    expect([imagesAsked(), body().includes(PNG.toString("base64")), body().includes("image/png")]).toEqual([1, true, true]);
    const [end] = eventsOfType(first.stdout, "tool_end");
    expect(end).toMatchObject({
      isError: false,
      resultSummary: `image/png, 1x1, ${String(PNG.length)} bytes`,
      images: [{ mediaType: "image/png", bytes: PNG.length }],
    });
    expect(first.stdout).not.toContain(PNG.toString("base64"));

    here.script([{ text: "still a dot" }]);
    expect((await here.run(args("-c", "and now?"))).status).toBe(0);
    expect([imagesAsked(), here.server.complaints]).toEqual([1, []]);

    const id = (await here.run(["sessions", "list", "--json"])).stdout.split("\n")[0] ?? "";
    const session = (JSON.parse(id) as { id: string }).id;
    expect((await here.run(["sessions", "fork", session])).status).toBe(0);
    here.script([{ text: "a dot, too" }]);
    expect((await here.run(args("-c", "in the fork?"))).status).toBe(0);
    expect([imagesAsked(), here.server.complaints]).toEqual([1, []]);

    const shown = (await here.run(["sessions", "get", session])).stdout;
    expect(shown).toContain(`[image image/png ${String(PNG.length)} bytes]`);
    expect(shown).not.toContain(PNG.toString("base64"));
    const records = (await here.run(["sessions", "get", session, "--json"])).stdout.split("\n").filter((line) => line.includes('"effect-'));
    expect(records.join()).toContain('"sha256"');
    expect(records.join()).not.toContain(PNG.toString("base64").slice(0, 24));
    const html = (await here.run(["sessions", "export", session, "--format", "html"])).stdout;
    expect(html).toContain(`data:image/png;base64,${PNG.toString("base64")}`);
  });

  test("has the type of its bytes, and what is none is an error without an image (read-4)", async () => {
    here.script([reads("photo.png", "logo.png", "empty.jpg", "cut.png"), { text: "one" }]);
    const { status, stdout } = await here.run(args("--json", "look at all"));
    expect([status, here.server.complaints]).toEqual([0, []]);
    expect(
      eventsOfType(stdout, "tool_end")
        .map(({ isError }) => isError)
        .toSorted(),
    ).toEqual([false, true, true, true]);
    expect([imagesAsked(), body().includes("image/jpeg"), body().includes("image/png;")]).toEqual([1, true, false]);
  });

  test("is given with the prompt by @FILE, as an image beside the words", async () => {
    here.script([{ text: "a dot" }, { text: "yes" }]);
    expect((await here.run(args("what is it", "@pictures/shot.png"))).status).toBe(0);
    expect([imagesAsked(), here.server.complaints]).toEqual([1, []]);
    expect(body()).toContain(`[image image/png ${String(PNG.length)} bytes, shown beside]`);
    expect((await here.run(args("-c", "sure?"))).status).toBe(0);
    expect([imagesAsked(), here.server.complaints]).toEqual([1, []]);
  });

  test("and the provider refuses is left out from then on, live and after a resume (read-4)", async () => {
    here.script((request) => {
      const items = itemsOf(request);
      if (items.some((item) => "images" in item && item.images > 0)) return refusalTo(request, 400, "Could not process image");
      return items.some(({ type }) => type === "result") ? { text: "I go on without it" } : reads("pictures/shot.png");
    });
    const first = await here.run(args("--json", "look"));
    expect(lastEvent(first.stdout)).toMatchObject({ status: "ok" });
    expect(eventsOfType(first.stdout, "retry")).toMatchObject([{ reason: expect.stringContaining("Could not process image") as string }]);
    expect(body()).toContain("[1 image left out: the provider refused a request with it]");
    const asked = here.asked().length;
    const next = await here.run(args("-c", "hello"));
    expect([next.status, next.stdout, here.asked().length - asked]).toEqual([0, "I go on without it\n", 1]);
  });
});

test("a model that takes no images is told that there was one; another one of the same session sees it", async () => {
  here.script([reads("pictures/shot.png"), { text: "I cannot see" }, { text: "a dot" }]);
  const blind = await here.run(["eval", "--model", "local/blind", "look"]);
  expect([blind.status, imagesAsked()]).toEqual([0, 0]);
  expect(body()).toContain("[1 image left out: this model does not take images]");
  expect(blind.stderr).toContain("not sent to");
  expect((await here.run(["eval", "-c", "--model", MODELS.chat, "and you?"])).status).toBe(0);
  expect([imagesAsked(), here.server.complaints]).toEqual([1, []]);
});

test("a damaged image is not sent with a prompt, and why is said", async () => {
  here.script([{ text: "never" }]);
  const { status, stderr } = await here.run(["eval", "--model", MODELS.chat, "look", "@cut.png"]);
  expect([status, here.asked()]).toEqual([2, []]);
  expect(stderr).toContain("cut off or damaged");
});
