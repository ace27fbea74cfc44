import { expect, it } from "vitest";
import { expectedRun, runExample } from "./example-process.ts";

it("hands messages to the example in TypeScript", async () => {
  const run = await runExample(process.execPath, ["docs/examples/handler.ts", "127.0.0.1:0"]);
  expect(run).toEqual(expectedRun);
});
