import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Suites that start the built program. They alone pay for a build, and only when dist is stale. */
const built = ["test/e2e/**/*.test.{ts,tsx}", "test/docs/examples.test.ts"];

/** Suites that start processes, threads or terminals, or try thousands of damaged files: each file in a process of its own. */
const slow = [
  "test/cli/process.test.ts",
  "test/effect/{mcp,process,search}/**/*.test.ts",
  "test/effect/text/markdown-thread.test.ts",
  "test/examples/**/*.test.ts",
  "test/plugin/**/*.test.ts",
  "test/runtime/concurrency.test.ts",
  "test/session/{acceptance,checkpoint,damage,independent,maintenance}/**/*.test.ts",
  "test/session/interchange/lazy.test.ts",
  "test/session/writer/processes.test.ts",
  "test/tui/pty.test.ts",
];

export default defineConfig({
  resolve: {
    alias: { "smith-agent/plugin": fileURLToPath(new URL("./src/plugin/sdk.ts", import.meta.url)) },
  },
  test: {
    pool: "forks",
    isolate: true,
    // Of two processors one would be left free: half of the time is waiting for processes.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 15_000,
    hookTimeout: 15_000,
    teardownTimeout: 5_000,
    restoreMocks: true,
    unstubEnvs: true,
    coverage: {
      provider: "v8",
      include: ["src/**/*.{ts,tsx}"],
      exclude: ["src/**/types.ts", "src/schema/**"],
      reporter: ["text-summary", "json-summary"],
      reportOnFailure: true,
    },
    projects: [
      // The others share processes: a third of their time would go into starting them.
      { extends: true, test: { name: "unit", isolate: false, include: ["test/**/*.test.{ts,tsx}"], exclude: [...built, ...slow] } },
      { extends: true, test: { name: "slow", include: slow, testTimeout: 30_000 } },
      {
        extends: true,
        test: { name: "built", include: built, testTimeout: 60_000, hookTimeout: 120_000, globalSetup: ["test/support/build-if-stale.ts"] },
      },
    ],
  },
});
