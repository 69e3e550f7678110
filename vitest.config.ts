import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Suites that start the built program. They alone pay for a build, and only when dist is stale. */
const built = ["test/e2e/**/*.test.{ts,tsx}", "test/docs/examples.test.ts"];

export default defineConfig({
  resolve: {
    alias: { "smith-agent/plugin": fileURLToPath(new URL("./src/plugin/sdk.ts", import.meta.url)) },
  },
  test: {
    pool: "forks",
    isolate: true,
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
    },
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.{ts,tsx}"], exclude: built } },
      {
        extends: true,
        test: { name: "built", include: built, testTimeout: 60_000, hookTimeout: 120_000, globalSetup: ["test/support/build-if-stale.ts"] },
      },
    ],
  },
});
