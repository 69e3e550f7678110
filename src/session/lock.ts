import { createRequire } from "node:module";
import { errorCode } from "./log/index.js";

/** Takes the exclusive kernel lock of an open description, without waiting. It ends with the descriptor, however that ends. */
export interface Locker {
  /** Loads what locking needs, while something else is waited for. A failure shows at `tryLock`. */
  prepare(): void;
  /** False when another description holds it. Throws when the platform cannot lock this file. */
  tryLock(fd: number): boolean;
}

interface Binding {
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): void;
}

const HELD: ReadonlySet<string> = new Set(["EAGAIN", "EACCES", "EBUSY"]);
/** Windows locks are mandatory and would shut out readers, so there a byte far behind any content stands for the file. */
const FAR_BYTE = 2 ** 52;

/**
 * The lock of `fs-native-extensions` (docs/decisions/0003). Loaded at the first use: readers and listing never pay for it.
 */
export function createLocker(): Locker {
  let binding: Binding | undefined;
  return {
    prepare() {
      try {
        binding ??= loadBinding();
      } catch {
        // Tried again, and told, where the lock is taken.
      }
    },
    tryLock(fd) {
      binding ??= loadBinding();
      const [offset, length] = process.platform === "win32" ? [FAR_BYTE, 1] : [0, 0];
      try {
        binding.tryLock(fd, offset, length, true);
        return true;
      } catch (error) {
        if (HELD.has(errorCode(error) ?? "")) return false;
        throw error;
      }
    },
  };
}

/** The prebuilt binary directly (1.5 ms), or through the package's own search for it (10 ms) where its name differs. */
function loadBinding(): Binding {
  const require = createRequire(import.meta.url);
  const direct = `fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`;
  for (const path of [direct, "fs-native-extensions/binding.js"]) {
    try {
      const loaded: unknown = require(path);
      if (isBinding(loaded)) return loaded;
    } catch (error) {
      if (path !== direct) throw error;
    }
  }
  throw new Error("fs-native-extensions has no lock for this platform");
}

const isBinding = (value: unknown): value is Binding =>
  typeof value === "object" && value !== null && "tryLock" in value && typeof value.tryLock === "function";
