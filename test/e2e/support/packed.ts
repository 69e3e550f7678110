import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The package as a registry would hand it out, unpacked into the `node_modules` of a new folder whose name must be quoted. */
export interface Packed {
  readonly home: string;
  /** Where it was unpacked. */
  readonly dir: string;
  /** What is in it. */
  readonly files: readonly string[];
  /** Its program, run in the folder `work` below home. */
  smith(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>;
  remove(): void;
}

export async function unpack(): Promise<Packed> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "smith pack ü-")));
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", home], { cwd: root });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const dir = join(home, "node_modules/smith-agent");
  mkdirSync(join(home, "node_modules"));
  mkdirSync(join(home, "work"));
  await run("tar", ["-xzf", join(home, packed.filename), "-C", join(home, "node_modules")]);
  await run("mv", [join(home, "node_modules/package"), dir]);
  // All that is not in the bundle: native code, with packages of its own that are found from where it really is.
  symlinkSync(join(root, "node_modules/fs-native-extensions"), join(home, "node_modules/fs-native-extensions"));
  return {
    home,
    dir,
    files: packed.files.map(({ path }) => path),
    smith: (...args) =>
      run(process.execPath, [join(dir, "dist/smith.js"), ...args], {
        cwd: join(home, "work"),
        env: { PATH: process.env["PATH"], HOME: home, SMITH_HOME: join(home, "smith"), SMITH_DISCOVERY: "off" },
      }),
    remove: () => {
      rmSync(home, { recursive: true, force: true });
    },
  };
}
