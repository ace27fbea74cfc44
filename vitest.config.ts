import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/servers/**", "**/node_modules/**"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // By default a machine of two cores gets one worker, which waits half of its time for processes and timers.
    maxWorkers: 2,
    // Threads of stores and parsers strip the types of their modules by themselves.
    execArgv: ["--require", "./cmd/compile-cache.cjs"],
  },
});
