import { describe, expect, it } from "vitest";
import { openForAll } from "../open-for-all.ts";
import { listGuides, needsOf, readPage } from "./examples/page.ts";
import { openShell } from "./examples/shell.ts";

/** Runs the examples of the pages in `docs/` that need no server of others. The others run in `test/servers/docs/`. */
const pages = await Promise.all(
  listGuides()
    .filter((name) => needsOf(name).length === 0)
    .map((name) => readPage(name)),
);
const withExamples = pages.filter(({ steps }) => steps.length > 0);

describe.each(withExamples)("$name", ({ steps }) => {
  const shell = openForAll(async (onEnd) => {
    const opened = openShell();
    onEnd(() => opened[Symbol.asyncDispose]());
    return opened;
  });

  it.each(steps)("$title", (step) => shell().take(step));

  it("what runs beside the others prints what is shown", () => shell().checkBeside());
});

it.each(listGuides())("%s has no code that is neither run nor written", async (name) => {
  const { blocks } = await readPage(name);
  expect(blocks.filter((info) => !/^(?:console|text|[a-z]+ \S+)$/.test(info))).toEqual([]);
});
