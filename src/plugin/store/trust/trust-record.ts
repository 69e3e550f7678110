import { join } from "node:path";
import type { Result } from "../../../base/index.js";
import type { Diagnostic } from "../../../schema/index.js";
import { createRecordFile, readRecord, type RecordFile, type RecordFileDeps, type RecordShape } from "../record/index.js";
import type { TrustRecord } from "./trusted-project.js";

const SHAPE: RecordShape<TrustRecord> = {
  schema: async () => (await import("./trust-schema.js")).trustSchema,
  empty: { format: 1, projects: {} },
};

const pathIn = (dataDir: string): string => join(dataDir, "trust.json");

/** `<dataDir>/trust.json`. */
export const createTrustRecord = (dataDir: string, deps: RecordFileDeps): RecordFile<TrustRecord> =>
  createRecordFile(pathIn(dataDir), SHAPE, deps);

export const readTrustRecord = async (dataDir: string): Promise<Result<TrustRecord, Diagnostic>> =>
  await readRecord(pathIn(dataDir), SHAPE);
