import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isGenerated, noteContract } from "../../clients/contract.ts";
import { folderWith } from "../cmd/config/load.ts";

test.each([
  ["proto/engage/channel/v1/task.proto", false],
  ["clients/go/buf.gen.yaml", false],
  ["proto/google/api/http.proto", true],
])("after a change of %s the clients count as generated: %s", (path, expected) => {
  const root = folderWith({});
  for (const part of ["proto", "clients"]) cpSync(part, join(root, part), { recursive: true });
  noteContract(root);
  expect(isGenerated(root)).toBe(true);
  appendFileSync(join(root, path), "// changed\n");
  expect(isGenerated(root)).toBe(expected);
});
