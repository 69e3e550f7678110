/** Loaded only where there is a record to read. */
import { z } from "zod";
import type { TrustRecord } from "./trusted-project.js";

export const trustSchema: z.ZodType<TrustRecord> = z.strictObject({
  format: z.literal(1),
  projects: z.record(
    z.string(),
    z.strictObject({
      hash: z.string().regex(/^[0-9a-f]{64}$/u),
      items: z.array(z.strictObject({ path: z.string(), what: z.string() })),
      trustedAt: z.number(),
    }),
  ),
});
