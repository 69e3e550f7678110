import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { watchPackage } from "../../../src/plugin/package/index.js";
import { createManualClock, type ManualClock } from "../../support/manual-clock.js";
import { createRealClock } from "../../support/real-clock.js";
import { pluginFolder, temporaryFolder, writeFiles } from "./folder.js";

interface Changes {
  readonly count: number;
  /** Resolves with the next change after those that were waited for. */
  next(): Promise<void>;
}

function createChanges(): Changes & { readonly note: () => void } {
  let count = 0;
  let waited = 0;
  let wake: () => void = () => undefined;
  return {
    get count() {
      return count;
    },
    note: () => {
      count += 1;
      wake();
    },
    next: async () => {
      waited += 1;
      while (count < waited) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

/** Watches until the test is over. */
function watched(dir: string): Changes {
  const changes = createChanges();
  const watch = watchPackage(dir, changes.note, { clock: createRealClock() });
  onTestFinished(async () => watch.close());
  return changes;
}

describe("a change is told", () => {
  test.each<[string, (dir: string) => Promise<void>]>([
    ["of a file", async (dir) => writeFile(join(dir, "src/main.ts"), "// changed")],
    ["of a file in a deep folder", async (dir) => writeFile(join(dir, "src/a/b/c.ts"), "// changed")],
    [
      "by an editor that writes beside and renames",
      async (dir) => writeFile(join(dir, ".new"), "x").then(() => rename(join(dir, ".new"), join(dir, "src/main.ts"))),
    ],
    ["of a new file", async (dir) => writeFile(join(dir, "src/new.ts"), "")],
    ["of a file that goes", async (dir) => rm(join(dir, "src/main.ts"))],
    ["of a folder that goes", async (dir) => rm(join(dir, "src"), { recursive: true })],
    ["of the whole folder that goes", async (dir) => rm(dir, { recursive: true })],
  ])("%s", async (_, change) => {
    const dir = await pluginFolder({ "src/a/b/c.ts": "" });
    const changes = watched(dir);
    await change(dir);
    await changes.next();
    expect(changes.count).toBe(1);
  });

  test("behind a link to the folder", async () => {
    const dir = await pluginFolder();
    const link = join(await temporaryFolder(), "link");
    await symlink(dir, link);
    const changes = watched(link);
    await writeFile(join(dir, "src/main.ts"), "// changed");
    await changes.next();
  });

  test("in folders that were made after the watch began", async () => {
    const dir = await pluginFolder();
    const changes = watched(dir);
    await writeFiles(dir, { "lib/deep/a.ts": "" });
    await changes.next();
    await writeFile(join(dir, "lib/deep/a.ts"), "// changed");
    await changes.next();
  });

  test("of a file that was deleted and made again, each time", async () => {
    const dir = await pluginFolder();
    const changes = watched(dir);
    for (let round = 0; round < 2; round += 1) {
      await rm(join(dir, "src/main.ts"));
      await changes.next();
      await writeFile(join(dir, "src/main.ts"), `// ${String(round)}`);
      await changes.next();
    }
  });

  test("of a folder that was deleted and made again", async () => {
    const dir = await pluginFolder();
    const changes = watched(dir);
    await rm(join(dir, "src"), { recursive: true });
    await changes.next();
    await mkdir(join(dir, "src"));
    await writeFile(join(dir, "src/main.ts"), "// again");
    await changes.next();
    await writeFile(join(dir, "src/main.ts"), "// and again");
    await changes.next();
  });

  test("of the whole folder that was deleted and made again", async () => {
    const dir = await pluginFolder();
    const changes = watched(dir);
    await rm(dir, { recursive: true });
    await changes.next();
    await writeFiles(dir, { "manifest.kdl": "", "src/main.ts": "" });
    await changes.next();
    await writeFile(join(dir, "src/main.ts"), "// changed");
    await changes.next();
  });
});

describe("with a clock that is moved by hand", () => {
  interface Scene {
    readonly dir: string;
    readonly clock: ManualClock;
    readonly changes: Changes;
    readonly close: () => Promise<void>;
  }

  async function scene(): Promise<Scene> {
    const [dir, clock, changes] = [await pluginFolder(), createManualClock(), createChanges()];
    const watch = watchPackage(dir, changes.note, { clock });
    onTestFinished(async () => watch.close());
    return { dir, clock, changes, close: async () => watch.close() };
  }

  test("a change is told after 150 ms of silence", async () => {
    const { dir, clock, changes } = await scene();
    await writeFile(join(dir, "src/main.ts"), "// changed");
    await clock.sleeping();
    expect(clock.pending).toEqual([150]);
    await clock.advance(149);
    expect(changes.count).toBe(0);
    // The system may report one write more than once, which starts the wait anew.
    for (let round = 0; round < 20 && changes.count === 0; round += 1) await clock.advance(150);
    expect(changes.count).toBe(1);
  });

  test("files that do not count are not told of", async () => {
    const { dir, clock, changes } = await scene();
    await writeFiles(dir, { ".main.ts.swp": "" });
    await clock.sleeping();
    for (let round = 0; round < 20; round += 1) await clock.advance(150);
    expect(changes.count).toBe(0);
  });

  test("no timer is left while nothing changes, nor after closing in the middle of a change", async () => {
    const { dir, clock, changes, close } = await scene();
    expect(clock.pending).toEqual([]);
    await writeFile(join(dir, "src/main.ts"), "// changed");
    await clock.sleeping();
    await close();
    expect(clock.pending).toEqual([]);
    await clock.advance(10_000);
    expect(changes.count).toBe(0);
  });

  test("closing twice, and without any change, is fine", async () => {
    const { close } = await scene();
    await Promise.all([close(), close()]);
    await close();
  });

  test("a folder that is not there yet is looked for every second, and closing ends that", async () => {
    const [around, clock, changes] = [await temporaryFolder(), createManualClock(), createChanges()];
    const watch = watchPackage(join(around, "later"), changes.note, { clock });
    await clock.sleeping();
    expect(clock.pending).toEqual([1_000]);
    await writeFiles(around, { "later/manifest.kdl": "" });
    for (let round = 0; round < 20 && changes.count === 0; round += 1) await clock.advance(1_000);
    expect(changes.count).toBe(1);
    await watch.close();
    expect(clock.pending).toEqual([]);
  });
});
