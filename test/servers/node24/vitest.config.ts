import { defineConfig } from "vitest/config";
import root from "../../../vitest.config.ts";

/**
 * What depends most on Node itself, for the oldest version that `engines` allows: starts, README's examples, the built
 * package, each contract end to end, and what uses connections, threads, processes and native code.
 */
export default defineConfig({
  ...root,
  test: {
    ...root.test,
    include: [
      "test/cmd/engage.test.ts",
      "test/cmd/parser-plugin/**/*.test.ts",
      "test/cmd/serve/event/loading.test.ts",
      "test/e2e/**/*.test.ts",
      "test/gateway/http/**/*.test.ts",
      "test/package/pack.test.ts",
      "test/readme.test.ts",
      "test/services/parser/pool/**/*.test.ts",
      "test/store/events/duckdb/kill.test.ts",
      "test/store/inbox/sqlite/**/*.test.ts",
    ],
    // Streams are used directly on Node 26 only (decision 149).
    exclude: ["test/gateway/http/http2/direct-*.test.ts", "test/gateway/http/http2/observed-members.test.ts"],
  },
});
