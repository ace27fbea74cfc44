import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The command of the image has a test of its own. */
test.each([
  ["npm start", /"start": "exec node --v8-pool-size=1 /, "package.json"],
  ["npm run demo", /"demo": "exec node --v8-pool-size=1 /, "package.json"],
  ["the command", /^#!\/usr\/bin\/env -S node --v8-pool-size=1\n/, "cmd/engage.ts"],
])("%s starts Node with one thread of V8", (_name, start, file) => {
  expect(readFileSync(file, "utf8")).toMatch(start);
});
