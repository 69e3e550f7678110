import { describe, expect, test } from "vitest";
import { orAborted } from "../../src/base/index.js";

describe("orAborted", () => {
  test("is the end of the work, value or failure", async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(orAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  });

  test("is aborted at once, before and while the work goes on", async () => {
    const stop = new AbortController();
    const waiting = orAborted(new Promise(() => undefined), stop.signal);
    stop.abort();
    expect(await waiting).toBe("aborted");
    expect(await orAborted(new Promise(() => undefined), stop.signal)).toBe("aborted");
  });

  test("many wait for one signal without a warning of Node's", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => {
      warnings.push(warning);
    };
    process.on("warning", onWarning);
    const stop = new AbortController();
    const waiting = Array.from({ length: 30 }, () => orAborted(new Promise(() => undefined), stop.signal));
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["aborted"]));
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });

  test("a failure after the abort is nobody's", async () => {
    const stop = new AbortController();
    const unhandled: unknown[] = [];
    const onUnhandled = (error: unknown): void => {
      unhandled.push(error);
    };
    process.on("unhandledRejection", onUnhandled);
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    const waiting = orAborted(work, stop.signal);
    stop.abort();
    fail(new Error("late"));
    expect(await waiting).toBe("aborted");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });
});
