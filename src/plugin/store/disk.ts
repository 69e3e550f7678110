import { mkdir, open, rename, rm, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Every change the store makes to the disk. A port, so that tests can end the process between any two of them. */
export interface Disk {
  rename(from: string, to: string): Promise<void>;
  /** Puts a text in place of a file, whole or not at all, readable for its owner only. `unique`: part of a name nothing else has. */
  replace(path: string, text: string, unique: string): Promise<void>;
  /** Writes files below a new folder. Names are checked before. */
  writeTree(dir: string, files: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** A folder and all below it; nothing when it is not there. */
  removeTree(dir: string): Promise<void>;
}

export const nodeDisk: Disk = {
  rename,
  async replace(path, text, unique) {
    const temp = `${path}.${unique}.tmp`;
    try {
      const handle = await open(temp, "wx", 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temp, path);
    } catch (error) {
      await unlink(temp).catch(() => undefined);
      throw error;
    }
  },
  async writeTree(dir, files) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const folders = new Set([...files.keys()].map((name) => dirname(join(dir, name))));
    for (const folder of folders) await mkdir(folder, { recursive: true });
    for (const [name, bytes] of files) await writeFile(join(dir, name), bytes, { flag: "wx" });
  },
  async removeTree(dir) {
    await rm(dir, { recursive: true, force: true });
  },
};
