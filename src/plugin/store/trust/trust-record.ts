import { join } from "node:path";
import { z } from "zod";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { createRecordFile, readRecord, type RecordFile, type RecordFileDeps } from "../record/index.js";
import type { ProjectBehaviour } from "../types.js";

/** What a person said yes to. */
export interface TrustedProject {
  readonly hash: string;
  readonly items: ProjectBehaviour["items"];
  /** ms since the epoch. */
  readonly trustedAt: number;
}

export interface TrustRecord {
  readonly format: 1;
  /** By real path. */
  readonly projects: Readonly<Record<string, TrustedProject>>;
}

const SHAPE = {
  schema: z.strictObject({
    format: z.literal(1),
    projects: z.record(
      z.string(),
      z.strictObject({
        hash: z.string().regex(/^[0-9a-f]{64}$/u),
        items: z.array(z.strictObject({ path: z.string(), what: z.string() })),
        trustedAt: z.number(),
      }),
    ),
  }) satisfies z.ZodType<TrustRecord>,
  empty: { format: 1, projects: {} } satisfies TrustRecord,
} as const;

const pathIn = (dataDir: string): string => join(dataDir, "trust.json");

/** `<dataDir>/trust.json`. */
export const createTrustRecord = (dataDir: string, deps: RecordFileDeps): RecordFile<TrustRecord> =>
  createRecordFile<TrustRecord>(pathIn(dataDir), SHAPE, deps);

export const readTrustRecord = async (dataDir: string): Promise<Result<TrustRecord, Diagnostic>> =>
  await readRecord<TrustRecord>(pathIn(dataDir), SHAPE);
