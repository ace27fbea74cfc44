import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** A server that no agent calls is not slower or larger for the library of their protocol. */
it("the library of the protocol is loaded with the first request", () => {
  const sources = globSync("{base,cmd,gateway,services,store}/**/*.ts");
  const importing = (what: RegExp) => sources.filter((path) => what.test(readFileSync(path, "utf8")));
  expect(importing(/^import [^;]*"@modelcontextprotocol\//m).sort()).toEqual([
    "cmd/mcp/stdio-transport.ts",
    "services/agent/protocol/protocol.ts",
  ]);
  expect(importing(/^import (?!type )[^;]*\/(protocol\/protocol|stdio-transport)\.ts"/m)).toEqual([]);
  expect(importing(/import\("[./]+services\/agent\/protocol\/protocol\.ts"\)/).sort()).toEqual([
    "cmd/mcp/mcp.ts",
    "cmd/serve/mcp/endpoint.ts",
  ]);
});
