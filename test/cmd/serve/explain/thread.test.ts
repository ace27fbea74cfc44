import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../../base/async/clock.ts";
import { createExplainThread, type ExplainThreadOptions } from "../../../../cmd/serve/explain/thread.ts";
import { parserConfigSchema } from "../../../../services/parser/config.ts";
import type { ExplainTask } from "../../../../services/parser/explain/explain.ts";

const module = fileURLToPath(new URL("../../../testdata/parser-workers/fragile-module.ts", import.meta.url));
const config = parserConfigSchema.parse({
  formats: [{ name: "fragile", index: "*", type: "module", module }],
});
const { signal } = new AbortController();

function threadOf(options: Partial<ExplainThreadOptions> = {}) {
  const thread = createExplainThread({ config, clock: systemClock, ...options });
  onTestFinished(() => thread[Symbol.asyncDispose]());
  return thread;
}

function task(text: string, rest: Partial<ExplainTask> = {}): ExplainTask {
  return { content: Buffer.from(text), framing: "none", index: "a", ...rest };
}

const parsed = { kind: "explained", response: { lines: [{ outcome: { case: "records" } }] } };

describe("a content that is explained in a thread", () => {
  it("is ended when it takes too long; the next one is explained", async () => {
    const { explain } = threadOf({ maxMs: 1_000 });
    await expect(explain(task("forever"), signal)).rejects.toMatchObject({
      name: "ExplainError",
      fault: "too_long",
      message: "parsing takes longer than 1000 ms: shorten the content or the pattern",
    });
    await expect(explain(task("x"), signal)).resolves.toMatchObject(parsed);
  });

  it("is ended when it needs too much memory; the next one is explained", async () => {
    const { explain } = threadOf({ maxOldGenerationSizeMb: 32, maxMs: 60_000 });
    await expect(explain(task("memory"), signal)).rejects.toMatchObject({ fault: "crashed" });
    await expect(explain(task("x"), signal)).resolves.toMatchObject(parsed);
  });

  it("is ended when its caller is gone", async () => {
    const { explain } = threadOf({ maxMs: 60_000 });
    const caller = new AbortController();
    const explaining = explain(task("forever"), caller.signal);
    caller.abort(new Error("gone"));
    await expect(explaining).rejects.toThrow("gone");
    await expect(explain(task("x"), signal)).resolves.toMatchObject(parsed);
  });

  it("is explained to the end of its time when the thread is closed meanwhile", async () => {
    const thread = threadOf({ maxMs: 100 });
    const explained = expect(thread.explain(task("forever"), signal)).rejects.toMatchObject({
      fault: "too_long",
    });
    await thread[Symbol.asyncDispose]();
    await explained;
  });

  it("is refused when too many wait", async () => {
    const { explain } = threadOf();
    const results = await Promise.allSettled(Array.from({ length: 9 }, () => explain(task("x"), signal)));
    expect(results.map(({ status }) => status)).toEqual([
      ...new Array<string>(8).fill("fulfilled"),
      "rejected",
    ]);
    expect(results[8]).toMatchObject({ reason: { fault: "busy" } });
  });

  it.each([
    "(?P<x>(a{1000}){1000})",
    "(?P<x>(((a?){30}){30}){30}b)",
    "(?P<x>(x+x+)+y)",
    "(?P<x>(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^x]$)",
  ])("cannot hold up others with the pattern %s", async (pattern) => {
    const { explain } = threadOf();
    const inlineFormats = JSON.stringify({ name: "a", index: "a", type: "regex", pattern });
    const content = Buffer.alloc(262_144, "xa");
    // Some are refused, some find nothing, some are ended: all within the time and memory of one content.
    await Promise.allSettled([explain(task("", { content, inlineFormats }), signal)]);
    await expect(explain(task("x"), signal)).resolves.toMatchObject(parsed);
  });
});
