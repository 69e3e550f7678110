import { describe, expect, test } from "vitest";
import { err, ok, type Result } from "../../../src/base/index.js";
import type { Finding, Inspection, VerifyReport } from "../../../src/runtime/index.js";
import type { Diagnostic } from "../../../src/schema/index.js";
import { createFakeOutput } from "../fake-host.js";
import { failure, SESSION } from "../fake-runtime.js";
import { each, recordsOf, smith, summary } from "./support.js";

const report = (more: Partial<VerifyReport> = {}): VerifyReport => ({
  bytes: 4096,
  commits: 12,
  entries: 40,
  checkpoints: 1,
  unknownFrames: 0,
  tailBytes: 0,
  damage: 0,
  ...more,
});

const finding: Finding = { severity: "damage", what: "change 3 \u001bfails its checksum", offset: 1024, end: 1100 };
const warning: Finding = { severity: "warning", what: "a checkpoint is not usable", offset: 2000, end: 2010 };

const finds = (...found: readonly (Finding | VerifyReport)[]): Partial<Inspection> => ({ verify: () => each(found.map((one) => ok(one))) });

describe("sessions verify", () => {
  test("a sound session is one line and status 0", async () => {
    const { status, out, err: told } = await smith("sessions verify 8057", { inspection: finds(report()) });
    expect([status, told]).toEqual([0, ""]);
    expect(out).toBe("099a8057: sound: 12 changes, 40 entries, 1 checkpoint, 4096 bytes\n");
  });

  test("damage is data with its bytes, and status 1", async () => {
    const found = finds(finding, warning, report({ damage: 1, unknownFrames: 2, tailBytes: 7, entries: 1 }));
    const { status, out, err: told } = await smith("sessions verify 8057", { inspection: found });
    expect([status, told]).toEqual([1, ""]);
    expect(out).toBe(
      [
        "099a8057: bytes 1024 to 1099: damage: change 3 ␛fails its checksum",
        "099a8057: bytes 2000 to 2009: warning: a checkpoint is not usable",
        "099a8057: damaged, 1 finding: 12 changes, 1 entry, 1 checkpoint, 2 frames of a later version, 4096 bytes, 7 bytes after the last complete change",
        "",
      ].join("\n"),
    );
  });

  test("a warning alone is status 0", async () => {
    expect((await smith("sessions verify 8057", { inspection: finds(warning, report()) })).status).toBe(0);
  });

  test("--json tells findings and reports apart", async () => {
    const { out } = await smith("sessions verify --json 8057", { inspection: finds(finding, report({ damage: 1 })) });
    expect(recordsOf(out)).toEqual([
      { type: "finding", session: SESSION, ...finding },
      { type: "report", session: SESSION, ...report({ damage: 1 }) },
    ]);
  });

  test("--all goes through every session; one that cannot be read is status 2, whatever the others are", async () => {
    const ids = ["aaaaaaaa", "bbbbbbbb", "cccccccc"].map((tail) => summary(tail));
    const inspection: Partial<Inspection> = {
      list: () => each(ids),
      verify: (id) =>
        each<Result<Finding | VerifyReport, Diagnostic>>(
          id.endsWith("aaaaaaaa")
            ? [err(failure({ code: "session.unreadable" }))]
            : [ok(finding), ok(report({ damage: id.endsWith("b") ? 1 : 0 }))],
        ),
    };
    const { status, out, err: told } = await smith("sessions verify --all", { inspection });
    expect(status).toBe(2);
    expect(told).toContain("session.unreadable");
    expect(out.split("\n").map((line) => line.slice(0, 8))).toEqual(["bbbbbbbb", "bbbbbbbb", "cccccccc", "cccccccc", ""]);
  });

  test("a name that fits nothing is status 2 and nothing is verified", async () => {
    expect(await smith("sessions verify 8057 x", { inspection: finds(report()) })).toMatchObject({ status: 2, out: "" });
  });
});

test("output that cannot be written, or a folder that cannot be read, is status 2", async () => {
  const stdout = createFakeOutput();
  stdout.fail("ENOSPC");
  expect((await smith("sessions verify 8057", { inspection: finds(report()) }, { stdout })).status).toBe(2);
  const list: Inspection["list"] = async function* () {
    yield await Promise.reject(Object.assign(new Error("no"), { diagnostic: failure({ code: "session.folder-unreadable" }) }));
  };
  const { status, err: told } = await smith("sessions verify --all", { inspection: { list } });
  expect([status, told.includes("session.folder-unreadable")]).toEqual([2, true]);
});
