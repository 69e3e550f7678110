import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EffectContext } from "../../src/effect/index.js";
import { createImageShelf } from "../../src/plugin/invoke/image-shelf.js";
import type { ImagePart } from "../../src/schema/index.js";
import { toolSource } from "./sandbox.js";
import { openStage, read, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  await stage.close();
});

const png = (text: string): ImagePart => ({ mediaType: "image/png", base64: Buffer.from(text).toString("base64") });

describe("images of a call", () => {
  /** Each read keeps an image on the shelf of its call. */
  const keeping = (_op: unknown, input: unknown, { images }: EffectContext) =>
    read({
      type: "image",
      path: "a.png",
      image: images?.keep(png((input as { path: string }).path), { width: 2, height: 3 }),
      totalBytes: 1,
    });

  test("the plugin sees names and facts; the result hands on the images themselves, each once", async () => {
    const { run } = await stage.host({
      modules: {
        a: toolSource(`const a = (await ctx.fs.read({ path: "one" })).image; const b = (await ctx.fs.read({ path: "two" })).image;
          return result(JSON.stringify([a, b]), { images: [b.ref, a.ref, b.ref] });`),
      },
      gateway: keeping,
    });
    const { output, images } = await run("a");
    const [a, b] = JSON.parse(output.text) as readonly object[];
    expect(a).toEqual({
      ref: "image-1",
      mediaType: "image/png",
      bytes: 3,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
      width: 2,
      height: 3,
    });
    expect(b).toMatchObject({ ref: "image-2" });
    expect(output.text).not.toContain(png("one").base64);
    expect(output).toEqual({ text: output.text, isError: false });
    expect(images).toEqual([png("two"), png("one")]);
  });

  test("a name that the call was not given is a failure of the plugin, with the name", async () => {
    const { run } = await stage.host({
      modules: { a: toolSource(`return result("look", { images: ["image-1"] });`) },
      gateway: keeping,
    });
    expect(await run("a")).toEqual({
      output: {
        text: 'run returned something that is not a result: result.images names "image-1", which is no image this call was given. Return result(...) or failure(...).',
        isError: true,
      },
      mutation: "not-applied",
      end: "failed",
    });
  });

  test("a name of an earlier call means nothing in this one", async () => {
    const { run } = await stage.host({
      modules: { a: toolSource(`if (args.first) await ctx.fs.read({ path: "x" }); return result("", { images: ["image-1"] });`) },
      gateway: keeping,
    });
    expect((await run("a", { first: true })).images).toEqual([png("x")]);
    expect((await run("a")).end).toBe("failed");
  });

  test("more images than a result may have are refused", async () => {
    const { run } = await stage.host({
      modules: { a: toolSource(`return result("", { images: Array.from({ length: 9 }, (_, n) => "image-" + n) });`) },
      gateway: keeping,
    });
    expect((await run("a")).end).toBe("failed");
  });
});

describe("the shelf", () => {
  test("takes sixteen images, and the same image again for nothing", () => {
    const shelf = createImageShelf();
    for (let index = 1; index <= 16; index += 1) expect(shelf.keep(png(`p${String(index)}`))?.ref).toBe(`image-${String(index)}`);
    expect(shelf.keep(png("p17"))).toBeUndefined();
    expect(shelf.keep(png("p3"))?.ref).toBe("image-3");
    expect(shelf.take("image-17")).toBeUndefined();
  });

  test("takes 8 MiB of base64", () => {
    const shelf = createImageShelf();
    const large = (fill: number): ImagePart => ({ mediaType: "image/png", base64: Buffer.alloc(3_000_000, fill).toString("base64") });
    expect(shelf.keep(large(1))).toMatchObject({ bytes: 3_000_000 });
    expect(shelf.keep(large(2))).toBeDefined();
    expect(shelf.keep(large(3))).toBeUndefined();
    expect(shelf.keep(png("small"))?.ref).toBe("image-3");
  });
});
