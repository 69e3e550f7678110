import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { say } from "../../support/model-server.js";
import { createScripted, lastOf, type Scripted } from "../support/scripted.js";
import type { Ended } from "../support/smith.js";

let here: Scripted | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

async function scripted(): Promise<Scripted> {
  here = await createScripted({ script: () => say("ok") });
  return here;
}

const prompts = (place: Scripted): readonly string[] => place.server.requests.map((request) => lastOf(request, "user"));

const FIVE_KB = "a line of context\n".repeat(280);

describe("a prompt in words beside standard input", () => {
  test("an open pipe nobody writes to is left after one second with a notice", async () => {
    const place = await scripted();
    const running = place.start(["eval", "hi"]);
    const { status, stdout, stderr } = await running.ended;
    expect([status, stdout]).toEqual([0, "ok\n"]);
    expect(stderr).toContain("standard input has brought nothing for 1 s");
    expect(prompts(place)).toEqual(["hi"]);
  });

  test("a word - waits for such a pipe as long as it takes", async () => {
    const place = await scripted();
    const running = place.start(["eval", "hi", "-"]);
    await running.says("waiting for standard input", "stderr");
    running.endInput("late\n");
    expect((await running.ended).status).toBe(0);
    expect(prompts(place)).toEqual(["hi\n\n<stdin>\nlate\n</stdin>"]);
  });

  test.each([
    ["/dev/null", '"$@" < /dev/null', "hi"],
    ["closed", '"$@" <&-', "hi"],
    ["an empty pipe", ': | "$@"', "hi"],
    ["a pipe with text", 'cat context.txt | "$@"', `hi\n\n<stdin>\n${FIVE_KB}</stdin>`],
    ["a file", '"$@" < context.txt', `hi\n\n<stdin>\n${FIVE_KB}</stdin>`],
    ["no controlling terminal", 'setsid -w "$@" < /dev/null', "hi"],
    ["no HOME, a dumb terminal", 'env -u HOME TERM=dumb "$@" < /dev/null', "hi"],
  ])("%s", async (_name, script, prompt) => {
    const place = await scripted();
    place.file("context.txt", FIVE_KB);
    expect(await place.run(["eval", "hi"], { script, stdio: ["ignore", "pipe", "pipe"] })).toMatchObject({
      status: 0,
      stdout: "ok\n",
      stderr: "",
    });
    expect(prompts(place)).toEqual([prompt]);
  });

  test("a socket that brings text is attached", async () => {
    const place = await scripted();
    const ended = await withSocket(place, "from a socket\n");
    expect([ended.status, ended.stdout]).toEqual([0, "ok\n"]);
    expect(prompts(place)).toEqual(["hi\n\n<stdin>\nfrom a socket\n</stdin>"]);
  });
});

/** Runs `smith eval hi` with one end of a connection as its standard input. */
async function withSocket(place: Scripted, text: string): Promise<Ended> {
  const server = createServer();
  const path = `${place.home}/stdin.sock`;
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once("connection", resolve));
  const client = connect(path);
  const peer = await accepted;
  try {
    const running = place.start(["eval", "hi"], { stdio: [client, "pipe", "pipe"] });
    peer.end(text);
    return await running.ended;
  } finally {
    client.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe("a prompt on standard input alone", () => {
  test.each([
    ["a pipe", 'printf "from the pipe\\n" | "$@"', "from the pipe"],
    ["a file", '"$@" < prompt.txt', "from a file\nof two lines"],
  ])("%s is the prompt without its last line end", async (_name, script, prompt) => {
    const place = await scripted();
    place.file("prompt.txt", "from a file\nof two lines\n");
    expect(await place.run(["eval"], { script, stdio: ["ignore", "pipe", "pipe"] })).toMatchObject({ status: 0, stdout: "ok\n" });
    expect(prompts(place)).toEqual([prompt]);
  });

  test.each([
    ["an empty pipe", ': | "$@"'],
    ["/dev/null", '"$@" < /dev/null'],
    ["closed", '"$@" <&-'],
    ["blanks alone", 'printf " \\n\\t\\n" | "$@"'],
  ])("%s is no prompt: status 2 at once, nothing is sent", async (_name, script) => {
    const place = await scripted();
    const { status, stdout, stderr } = await place.run(["eval"], { script, stdio: ["ignore", "pipe", "pipe"] });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("there is no prompt");
    expect(place.server.all).toEqual([]);
  });

  test("what is not text is refused", async () => {
    const place = await scripted();
    const binary = await place.run(["eval", "look"], { input: new Uint8Array([1, 0, 2]) });
    expect(binary.status).toBe(2);
    expect(binary.stderr).toContain("standard input is not text");
    expect(place.server.all).toEqual([]);
  });
});
