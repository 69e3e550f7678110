import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCapture, type OutputCapture } from "../../../../src/effect/process/output/capture.js";
import { TERMINAL_SIZE } from "../../../../src/effect/process/output/screen.js";
import { createRedactor } from "../../../../src/effect/secrets/index.js";

const captureOf = (secrets: readonly string[], isTerminal: boolean): OutputCapture =>
  createCapture({ keepBytes: 100_000, redactor: () => createRedactor(secrets), isTerminal });

/** Everything that can be seen of it now. */
const views = (capture: OutputCapture): string => [capture.peek().text, capture.shown(), capture.tail(10_000)].join("\n");

describe.each([
  { where: "pipe", isTerminal: false },
  { where: "terminal", isTerminal: true },
])("a secret in the output of a $where", ({ isTerminal }) => {
  test("is not seen in part while it comes, and is gone in the end", () => {
    const secret = "abcdefghijklmnop";
    const capture = captureOf([secret], isTerminal);
    capture.push("stdout", Buffer.from(`key: ${secret.slice(0, 10)}`));
    expect(views(capture)).not.toContain("abcd");
    capture.push("stdout", Buffer.from(`${secret.slice(10)} end`));
    expect(views(capture)).not.toMatch(/abcd|mnop/u);
    expect(capture.end().text).toBe("key: [redacted] end");
  });

  test("the beginning of one that is none after all is there in the end", () => {
    const capture = captureOf(["abcdefghijklmnop"], isTerminal);
    capture.push("stdout", Buffer.from("key: abcdef"));
    expect(capture.end().text).toBe("key: abcdef");
  });

  test("of many lines is never seen in part, wherever it stands and however it comes", () => {
    const lines = Array.from({ length: 12 }, (_, index) => `<${"#".repeat(3)}${index}#>`);
    const secret = lines.join("\n");
    fc.assert(
      fc.property(
        fc.nat(TERMINAL_SIZE.rows + 10),
        fc.nat(TERMINAL_SIZE.rows + 10),
        fc.array(fc.nat(600), { maxLength: 6 }),
        (before, after, cuts) => {
          const whole = Buffer.from(
            `${"x\n".repeat(before)}${secret}\n${"y\n".repeat(after)}`.replaceAll("\n", isTerminal ? "\r\n" : "\n"),
          );
          const capture = captureOf([secret], isTerminal);
          const points = [...cuts.map((cut) => cut % (whole.length + 1)), whole.length].toSorted((left, right) => left - right);
          for (const [index, point] of points.entries()) {
            capture.push("stdout", whole.subarray(points[index - 1] ?? 0, point));
            expect(views(capture)).not.toContain("#");
          }
          expect(capture.end().text.trimEnd()).toBe(`${"x\n".repeat(before)}[redacted]\n${"y\n".repeat(after)}`.trimEnd());
        },
      ),
    );
  });
});
