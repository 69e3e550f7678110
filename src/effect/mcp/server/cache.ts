import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../../base/index.js";
import type { McpServerSetting } from "../../../schema/index.js";
import { readPrompts, readTools } from "../listing.js";
import type { McpHubDeps } from "../types.js";
import type { ServerFacts } from "./connection.js";

/** What servers listed last, so that a start waits for none. */
export interface ListCache {
  load(setting: McpServerSetting): Promise<ServerFacts | undefined>;
  /** Never rejects: nothing depends on it. */
  save(setting: McpServerSetting, facts: ServerFacts): Promise<void>;
}

const FORMAT = 1;
const MAX_UNITS = 4 * 1024 * 1024;
/** Files of servers that nobody has any more are forgotten, the oldest first. */
const MAX_FILES = 200;

/** One file for each way to reach a server: another command or address begins with nothing. */
export function createListCache({
  cacheDir: dir,
  conceal,
  randomBytes,
}: Pick<McpHubDeps, "cacheDir" | "conceal" | "randomBytes">): ListCache {
  const pathOf = ({ name, transport }: McpServerSetting): string =>
    join(
      dir,
      `${createHash("sha256")
        .update(JSON.stringify([name, transport]))
        .digest("hex")
        .slice(0, 32)}.json`,
    );
  return {
    async load(setting) {
      try {
        const value = parseJson(await readFile(pathOf(setting), "utf8"));
        if (!isJsonObject(value) || value["format"] !== FORMAT || !isJsonObject(value["facts"])) return undefined;
        const { tools, prompts, title, version, instructions, resources } = value["facts"];
        const listed = (items: unknown) => (Array.isArray(items) ? items.filter(isJsonObject) : []);
        return {
          ...(typeof title === "string" ? { title } : {}),
          ...(typeof version === "string" ? { version } : {}),
          ...(typeof instructions === "string" ? { instructions } : {}),
          resources: resources === true,
          tools: readTools(listed(tools)).all,
          prompts: readPrompts(listed(prompts)).all,
          notes: [],
        };
      } catch {
        return undefined;
      }
    },
    async save(setting, facts) {
      const text = conceal(JSON.stringify({ format: FORMAT, facts }));
      if (text.length > MAX_UNITS) return;
      const path = pathOf(setting);
      try {
        await mkdir(dir, { recursive: true, mode: 0o700 });
        const unique = new Uint8Array(8);
        randomBytes(unique);
        const temporary = `${path}.${Buffer.from(unique).toString("hex")}`;
        await writeFile(temporary, text, { mode: 0o600 });
        await rename(temporary, path);
        await prune(dir);
      } catch {
        // The next start waits for the server instead.
      }
    },
  };
}

async function prune(dir: string): Promise<void> {
  const names = await readdir(dir);
  if (names.length <= MAX_FILES) return;
  const files = await Promise.all(names.map(async (name) => ({ path: join(dir, name), ms: (await stat(join(dir, name))).mtimeMs })));
  const old = files.sort((a, b) => a.ms - b.ms).slice(0, files.length - MAX_FILES);
  for (const { path } of old) await rm(path, { force: true });
}
