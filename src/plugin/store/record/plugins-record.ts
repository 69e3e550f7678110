import { join } from "node:path";
import { z } from "zod";
import type { Grants } from "../../../effect/index.js";
import { type Diagnostic, UI_INTENTS, type UiIntentType } from "../../../schema/index.js";
import { isPluginId } from "../names.js";
import type { InstalledPlugin } from "../types.js";
import { createRecordFile, readRecord, type RecordFile, type RecordFileDeps } from "./record-file.js";

/** With what was granted, so that what is wider later can be told. Absent where it was written in a form that is not known any more. */
export interface StoredPlugin extends InstalledPlugin {
  readonly grants?: Grants;
}

/**
 * A plugin on its way into place: its folder is moved after this is written and before it becomes an entry. Whichever tree is then
 * found in the folder, the old or the new one, is one that was approved.
 */
export interface PendingPlugin extends StoredPlugin {
  /** Name of the folder the former version is moved to, where there is one. */
  readonly aside?: string;
}

export interface PluginsRecord {
  readonly format: 1;
  readonly plugins: Readonly<Record<string, StoredPlugin>>;
  readonly pending: Readonly<Record<string, PendingPlugin>>;
  /** Ids that are not used, of plugins that are not installed here. */
  readonly disabled: readonly string[];
}

const EMPTY: PluginsRecord = { format: 1, plugins: {}, pending: {}, disabled: [] };

const texts = z.array(z.string());
const rootSchema = z.union([z.enum(["workspace", "temp", "anywhere", "plugin-data", "resources"]), z.strictObject({ path: z.string() })]);
const isIntent = (word: unknown): word is UiIntentType => typeof word === "string" && Object.hasOwn(UI_INTENTS, word);

const grantsSchema: z.ZodType<Grants> = z.strictObject({
  fsRead: z.array(rootSchema),
  fsWrite: z.array(rootSchema),
  search: z.array(rootSchema),
  process: texts,
  processEnv: texts,
  net: z.array(z.strictObject({ origin: z.string(), methods: texts, private: z.boolean() })),
  evaluate: z.boolean(),
  vcs: z.boolean(),
  state: z.array(z.strictObject({ scope: z.enum(["session", "branch", "project", "user"]), maxBytes: z.number() })),
  ui: z.array(z.custom<UiIntentType>(isIntent)),
  secrets: texts,
});

const digest = z.string().regex(/^[0-9a-f]{64}$/u);
const id = z.string().refine(isPluginId);

const sourceSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("folder"), path: z.string() }),
  z.strictObject({ type: z.literal("archive"), path: z.string() }),
  z.strictObject({ type: z.literal("npm"), name: z.string(), version: z.string(), registry: z.string() }),
]);

const storedShape = {
  id,
  version: z.string(),
  source: sourceSchema,
  treeHash: digest,
  grantsHash: digest,
  integrity: z.string().exactOptional(),
  approvedAt: z.number(),
  enabled: z.boolean(),
  // Only compared with: one that cannot be read counts as having granted nothing.
  grants: grantsSchema.optional().catch(undefined),
};

const withoutUndefinedGrants = <T extends { readonly grants?: Grants | undefined }>({ grants, ...rest }: T) => ({
  ...rest,
  ...(grants === undefined ? {} : { grants }),
});

const storedSchema = z.strictObject(storedShape).transform(withoutUndefinedGrants);
const pendingSchema = z
  .strictObject({
    ...storedShape,
    aside: z
      .string()
      .regex(/^\.outgoing-[0-9A-Za-z-]+$/u)
      .exactOptional(),
  })
  .transform(withoutUndefinedGrants);

const recordSchema: z.ZodType<PluginsRecord> = z.strictObject({
  format: z.literal(1),
  plugins: z.record(id, storedSchema),
  pending: z.record(id, pendingSchema),
  disabled: z.array(id),
});

const SHAPE = { schema: recordSchema, empty: EMPTY };
const pathIn = (dataDir: string): string => join(dataDir, "plugins.json");

/** `<dataDir>/plugins.json`. */
export const createPluginsRecord = (dataDir: string, deps: RecordFileDeps): RecordFile<PluginsRecord> =>
  createRecordFile(pathIn(dataDir), SHAPE, deps);

/** The record for readers only. A broken one counts as empty, with its problem: nothing is then approved. */
export async function readPluginsRecord(
  dataDir: string,
): Promise<{ readonly value: PluginsRecord; readonly problems: readonly Diagnostic[] }> {
  const read = await readRecord(pathIn(dataDir), SHAPE);
  return read.ok ? { value: read.value, problems: [] } : { value: EMPTY, problems: [read.error] };
}

/** The approval of a tree that is found in the plugin's folder: of the entry, or of one on its way there. */
export function approvalOf(record: PluginsRecord, plugin: string, treeHash: string): StoredPlugin | undefined {
  const pending = own(record.pending, plugin);
  if (pending?.treeHash === treeHash) return withoutAside(pending);
  const stored = own(record.plugins, plugin);
  return stored?.treeHash === treeHash ? stored : undefined;
}

export const withoutAside = ({ aside: _aside, ...stored }: PendingPlugin): StoredPlugin => stored;

/** Ids are words such as `constructor.x`; none is a property every object has, and this does not rely on it. */
export const own = <T>(entries: Readonly<Record<string, T>>, plugin: string): T | undefined =>
  Object.hasOwn(entries, plugin) ? entries[plugin] : undefined;

/** The same entries without one. */
export const without = <T>(entries: Readonly<Record<string, T>>, plugin: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => name !== plugin));
