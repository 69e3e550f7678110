import { createHash } from "node:crypto";
import type { BytePath } from "../paths/index.js";

/** What a session last saw in each file, by real path. One per session. */
export interface FileTracker {
  /** Remembers the content a read or write of this session saw. */
  saw(real: BytePath, digest: string): void;
  /** Digest of the content last seen; undefined when the file never was. */
  lastSeen(real: BytePath): string | undefined;
  /** Forgets a file that is gone. */
  forget(real: BytePath): void;
}

/** Files remembered; the least recently seen are forgotten first and then count as never seen. */
const MAX_FILES = 4096;

/**
 * The content decides, not the time stamp: a file that was touched, or changed and changed back, is not stale.
 */
export function createFileTracker(): FileTracker {
  const seen = new Map<BytePath, string>();
  return {
    saw(real, digest) {
      seen.delete(real);
      seen.set(real, digest);
      const [oldest] = seen.keys();
      if (seen.size > MAX_FILES && oldest !== undefined) seen.delete(oldest);
    },
    lastSeen: (real) => seen.get(real),
    forget(real) {
      seen.delete(real);
    },
  };
}

export interface Digest {
  update(chunk: Uint8Array): void;
  end(): string;
}

export function createDigest(): Digest {
  const hash = createHash("sha256");
  return {
    update: (chunk) => {
      hash.update(chunk);
    },
    end: () => hash.digest("base64"),
  };
}

export function digestOf(bytes: Uint8Array): string {
  const digest = createDigest();
  digest.update(bytes);
  return digest.end();
}
