import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { diff } from "./test/diff.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/servers/**", "**/node_modules/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    diff,
    // A worker waits half of its time for processes and timers, so that three of them keep two cores busy.
    maxWorkers: 3,
    // Files share the modules of their worker, since loading them takes longer than most tests. Modules keep no state
    // between files: what a test opens, it closes.
    isolate: false,
    // Threads of stores and parsers strip the types of their modules by themselves.
    execArgv: ["--require", "./cmd/compile-cache.cjs"],
    // Processes that tests start share the cache of stripped and compiled modules.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") },
  },
});
