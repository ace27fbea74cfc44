import { defineConfig } from "vitest/config";

/** Suites that need programs which `test/servers/run` installs; they share those, so they run one after the other. */
export default defineConfig({
  test: {
    include: ["test/servers/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
