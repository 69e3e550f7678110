import { describe, expect, test } from "vitest";

import { PluginDesk } from "../../../src/tui/desk/index.js";
import type { AdminNews, UiEvent } from "../../../src/tui/store/index.js";
import { FakePluginAdmin, FakePluginRuntime, pluginRecord } from "../../support/fake-plugin-admin.js";
import { until } from "../../support/virtual-screen.js";

interface Desk {
  readonly desk: PluginDesk;
  readonly admin: FakePluginAdmin;
  readonly runtime: FakePluginRuntime;
  readonly news: AdminNews[];
  readonly loads: number[];
}

function desk(options: { readonly project?: "untrusted" | "refused"; readonly without?: true } = {}): Desk {
  const [admin, runtime] = [new FakePluginAdmin(), new FakePluginRuntime()];
  const [news, loads]: [AdminNews[], number[]] = [[], []];
  const load = async () => {
    loads.push(1);
    return await admin.port();
  };
  const made = new PluginDesk({
    options: {
      cwd: "/p",
      plugins: () => runtime,
      ...(options.without === true ? {} : { admin: load }),
      ...(options.project === undefined ? {} : { project: options.project }),
    },
    dispatch: (event: UiEvent) => {
      if (event.type === "admin") news.push(event.news);
    },
    fail: (error) => {
      throw error;
    },
  });
  return { desk: made, admin, runtime, news, loads };
}

const BEHAVIOUR = { root: "/p", hash: "h", items: [{ path: ".smith/plugins/x", what: "runs x" }] };
const FAILURE = { code: "a.b", what: "No.", why: "w", next: "n", severity: "error", retry: { type: "never" } } as const;

describe("looking after plugins", () => {
  test("loads nothing before it is asked, and then once", async () => {
    const { desk: made, loads, news } = desk();
    expect(loads).toEqual([]);
    made.run({ type: "list" });
    made.run({ type: "list" });
    await until(() => news.length === 2);
    expect(loads).toEqual([1]);
  });

  test.each([
    [{ type: "set-enabled", id: "a", enabled: false }, "setEnabled", ["a", false], "a is disabled"],
    [{ type: "approve", id: "a" }, "approve", ["a"], "a is approved"],
    [{ type: "remove", id: "a" }, "remove", ["a"], "a is removed"],
    [{ type: "trust", behaviour: BEHAVIOUR }, "trust", [BEHAVIOUR], "this project is trusted; in use from the next request on"],
  ] as const)("%o is done, plugins are read again, it is told, and the list is new", async (deed, name, args, text) => {
    const { desk: made, admin, runtime, news } = desk();
    made.run(deed);
    await until(() => news.some(({ type }) => type === "listed"));
    expect(admin.called(name)).toEqual([args]);
    expect(runtime.reloads).toBe(1);
    expect(news.map((each) => (each.type === "done" ? each.text : each.type))).toEqual([text, "listed"]);
  });

  test("what failed is told, and nothing is read again", async () => {
    const { desk: made, admin, runtime, news } = desk();
    admin.outcome = { ok: false, error: FAILURE };
    made.run({ type: "remove", id: "a" });
    await until(() => news.length === 2);
    expect(news[0]).toEqual({ type: "failed", diagnostic: FAILURE });
    expect(runtime.reloads).toBe(0);
  });

  test("things are done one after the other, in their order", async () => {
    const { desk: made, admin, news } = desk();
    made.run({ type: "set-enabled", id: "a", enabled: false });
    made.run({ type: "remove", id: "a" });
    await until(() => news.length === 4);
    expect(admin.calls.map(({ name }) => name)).toEqual(["setEnabled", "remove"]);
  });

  test("problems that a row tells of are not told twice", async () => {
    const { desk: made, admin, news } = desk();
    const other = { ...FAILURE, what: "Something else." };
    admin.records = [pluginRecord("a", { problems: [FAILURE] })];
    const inRows = ["plugin.project-untrusted", "plugin.used-for-run"].map((code) => ({ ...FAILURE, code, what: code }));
    admin.diagnostics = [FAILURE, other, ...inRows];
    made.run({ type: "list" });
    await until(() => news.length === 1);
    expect(news[0]).toMatchObject({ type: "listed", problems: [other] });
  });

  test("the project is looked at only where it waits for a person", async () => {
    const quiet = desk({ project: "refused" });
    quiet.desk.lookAtProject();
    const asked = desk({ project: "untrusted" });
    asked.admin.project = { state: "untrusted", behaviour: BEHAVIOUR };
    asked.desk.lookAtProject();
    await until(() => asked.news.length === 1);
    expect(asked.news).toEqual([{ type: "project", project: asked.admin.project }]);
    expect([quiet.loads, quiet.news]).toEqual([[], []]);
  });

  test("trust given in a run that refused it says when it counts", async () => {
    const { desk: made, news } = desk({ project: "refused" });
    made.run({ type: "trust", behaviour: BEHAVIOUR });
    await until(() => news.length === 2);
    expect(news[0]).toMatchObject({ type: "done", isTrust: true, text: expect.stringContaining("--no-trust") as string });
  });

  test("after closing nothing is told or begun", async () => {
    const { desk: made, admin, news } = desk();
    made.run({ type: "set-enabled", id: "a", enabled: true });
    made.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect([admin.calls, news]).toEqual([[], []]);
  });

  test("without an administration that is said, with another way", async () => {
    const { desk: made, news } = desk({ without: true });
    made.run({ type: "list" });
    await until(() => news.length === 1);
    expect(news[0]).toMatchObject({ type: "failed", diagnostic: { code: "tui.no-plugin-admin" } });
  });
});
