import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectedRun, runExample } from "../../services/webhook/targets/example-process.ts";

const folder = mkdtempSync(join(tmpdir(), "engage-handler-"));
const descriptors = join(folder, "engage.binpb");

beforeAll(() => {
  execFileSync("npx", ["buf", "build", "proto", "-o", descriptors]);
});
afterAll(() => rmSync(folder, { recursive: true }));

it("hands messages to the example in Python", async () => {
  const run = await runExample("/usr/bin/python3", ["docs/examples/handler.py", descriptors, "127.0.0.1:0"]);
  expect(run).toEqual(expectedRun);
});
