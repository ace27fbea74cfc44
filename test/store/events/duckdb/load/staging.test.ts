import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createScratchFile } from "../../../../../store/events/duckdb/load/staging.ts";
import { createDuckDbWorld } from "../duckdb-world.ts";

it("lets the event loop run between the pieces of a scratch file", async () => {
  await using world = await createDuckDbWorld();
  await using file = await createScratchFile(world.folder);
  const lines = Array.from({ length: 400 }, (_, number) => ({ number, text: "é".repeat(10_000) }));
  let iterations = 0;
  let isWritten = false;
  const count = (): void => {
    iterations++;
    if (!isWritten) setImmediate(count);
  };
  setImmediate(count);
  await file.write(lines);
  isWritten = true;
  expect(iterations).toBeGreaterThanOrEqual(15);
  const text = await readFile(file.path, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  expect(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(lines);
});

it("writes nothing for no lines", async () => {
  await using world = await createDuckDbWorld();
  await using file = await createScratchFile(world.folder);
  await file.write([]);
  expect(await readFile(file.path, "utf8")).toBe("");
});
