import { describe, expect, test } from "vitest";
import { project } from "../../../src/agent/context/index.js";
import { diagnostic, type Diagnostic, type ImagePart, type Message } from "../../../src/schema/index.js";
import { answer, outcome, toolCall, Walk } from "../fixtures.js";

const image: ImagePart = { mediaType: "image/png", base64: "AAAA" };
const refused = (words: string): Diagnostic =>
  diagnostic({
    code: "provider.invalid-request",
    what: `The request was refused (HTTP 400): ${words}`,
    why: "It is not accepted.",
    next: "Look.",
  });
const failed = (error: Diagnostic) => ({ type: "failed", error, partial: answer("", []), outcome: "not-applied" }) as const;
const bare = (error: Diagnostic) => {
  const { usage: _, ...partial } = failed(error).partial;
  return { ...failed(error), partial };
};
const SEES = { facts: { images: true } };

const looked = (walk: Walk, name = "read"): Walk => {
  walk.round(answer("", [toolCall(name)]), SEES);
  const settlement = { ...outcome("p.png: image").settlement, images: [image] };
  return walk.settle(name, outcome("p.png: image", { settlement }));
};
const images = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + (message.role === "assistant" ? 0 : (message.images?.length ?? 0)), 0);
const context = (walk: Walk): readonly Message[] => project(walk.state.history);

describe("a request with images that is refused as invalid (read-4)", () => {
  test("is made again without the new images, with a note, and they stay out", () => {
    const walk = looked(new Walk().submit("look"));
    expect(images(context(walk))).toBe(1);
    walk.round(bare(refused("could not process image")), SEES);
    expect(walk.requests).toEqual([{ type: "start-round" }]);
    expect(images(context(walk))).toBe(0);
    expect(context(walk).at(-1)).toMatchObject({
      role: "tool",
      text: "p.png: image\n[1 image left out: the provider refused a request with it]",
      isError: false,
    });
    walk.round(answer("I cannot see it."), SEES);
    expect(walk.entries.filter(({ type }) => type === "receipt")).toMatchObject([{ status: "ok" }]);
    walk.submit("hello").round(answer("hi"), SEES);
    expect(images(walk.sent)).toBe(0);
  });

  test("refused again without them: they were not the reason, the turn fails and they are shown again", () => {
    const walk = looked(new Walk().submit("look"));
    walk.round(bare(refused("tools.0: bad")), SEES).round(bare(refused("tools.0: bad")), SEES);
    expect(walk.entries.filter(({ type }) => type === "receipt")).toMatchObject([{ status: "error", reason: "provider" }]);
    expect(images(context(walk))).toBe(1);
  });

  test("images that were answered before are left out only where the provider speaks of images", () => {
    const seen = looked(new Walk().submit("look")).round(answer("a cat"), SEES).submit("and?");
    seen.round(bare(refused("unknown field")), SEES);
    expect([seen.requests[0]?.type, images(context(seen))]).toEqual(["turn-ended", 1]);
    seen.submit("again").round(bare(refused("Could not process image")), SEES);
    expect([seen.requests[0]?.type, images(context(seen))]).toEqual(["start-round", 0]);
  });

  test.each([
    ["another failure", refused("x"), "provider.rate-limit", SEES],
    ["a model that is sent no images", refused("image"), "provider.invalid-request", { facts: {} }],
  ])("%s leaves them where they are", (_name, error, code, facts) => {
    const walk = looked(new Walk().submit("look")).round(bare({ ...error, code }), facts);
    expect([walk.requests[0]?.type, images(context(walk))]).toEqual(["turn-ended", 1]);
  });

  test("without an image a refusal ends the turn", () => {
    expect(new Walk().submit("x").round(bare(refused("image")), SEES).requests[0]?.type).toBe("turn-ended");
  });
});
