import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The command of the image has a test of its own. */
test.each([
  ["npm start", /"start": "\S+ exec node --v8-pool-size=1 /, "package.json"],
  ["npm run demo", /"demo": "\S+ exec node --v8-pool-size=1 /, "package.json"],
  ["the command", /^#!\/usr\/bin\/env -S \S+ node --v8-pool-size=1\n/, "cmd/engage.ts"],
])("%s starts Node with one thread of V8", (_name, start, file) => {
  expect(readFileSync(file, "utf8")).toMatch(start);
});

test.each([
  ["npm start", /"start": "MALLOC_MMAP_THRESHOLD_=1048576 exec node /, "package.json"],
  ["npm run demo", /"demo": "MALLOC_MMAP_THRESHOLD_=1048576 exec node /, "package.json"],
  ["the command", /^#!\/usr\/bin\/env -S MALLOC_MMAP_THRESHOLD_=1048576 node /, "cmd/engage.ts"],
  ["the image", /^ENV [^#]*\bMALLOC_MMAP_THRESHOLD_=1048576\b/m, "Dockerfile"],
])("%s lets the C library return large buffers", (_name, start, file) => {
  expect(readFileSync(file, "utf8")).toMatch(start);
});
