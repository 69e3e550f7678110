/** Loaded only where there is a record to read. */
import { z } from "zod";
import type { Grants } from "../../../effect/index.js";
import { UI_INTENTS, type UiIntentType } from "../../../schema/index.js";
import { isPluginId } from "../../ids.js";
import type { PluginsRecord } from "./stored-plugin.js";

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
  mcp: texts,
  agent: z.boolean(),
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
  brought: z.array(z.strictObject({ facility: z.string(), words: z.string() })).exactOptional(),
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

export const recordSchema: z.ZodType<PluginsRecord> = z.strictObject({
  format: z.literal(1),
  plugins: z.record(id, storedSchema),
  pending: z.record(id, pendingSchema),
  disabled: z.array(id),
});
