import { defineConfig } from "vitest/config";
import { diff } from "../diff.ts";

/** Suites that need programs which `test/servers/run` installs. Each file starts its own servers. */
export default defineConfig({
  test: {
    include: ["test/servers/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    diff,
    // They wait for processes and timers more than they compute.
    maxWorkers: 2,
    // Threads of stores and parsers strip the types of their modules by themselves.
    execArgv: ["--require", "./cmd/compile-cache.cjs"],
  },
});
