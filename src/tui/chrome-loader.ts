import type { ChromeSurface } from "./frame/index.js";

/**
 * Loads Ink without letting its layout engine load the fetch stack (20 ms, 5 MB): it reads its WebAssembly by `fetch` when there is one.
 * Nothing else of ours may run meanwhile that needs `fetch`, so the session is opened afterwards.
 */
export async function loadChrome(columns: number): Promise<ChromeSurface> {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "fetch");
  if (descriptor?.configurable === true)
    Object.defineProperty(globalThis, "fetch", { configurable: true, writable: true, value: undefined });
  try {
    const { createInkChrome } = await import("./chrome/index.js");
    return createInkChrome(columns);
  } finally {
    if (descriptor?.configurable === true) Object.defineProperty(globalThis, "fetch", descriptor);
  }
}
