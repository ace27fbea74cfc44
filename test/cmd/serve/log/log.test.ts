import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, read, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openLog } from "../../../../cmd/serve/log/log.ts";

const folder = mkdtempSync(join(tmpdir(), "engage-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A named pipe, open at both ends. */
function openFifo(flags = 0): number {
  const path = join(folder, "fifo");
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
  return openSync(path, constants.O_RDWR | flags);
}

let files = 0;
async function logged(
  use: (log: ReturnType<typeof openLog>) => void,
  config: Partial<Parameters<typeof openLog>[0]> = {},
) {
  const path = join(folder, `${files++}.log`);
  const fd = openSync(path, "w");
  {
    await using log = openLog({ level: "info", ...config }, fd);
    use(log);
  }
  // The descriptor is still the caller's.
  writeSync(fd, "");
  closeSync(fd);
  return readFileSync(path, "utf8");
}

describe("openLog", () => {
  it("writes JSON lines with the level by name and the time in ISO 8601", async () => {
    const written = await logged(({ logger }) => logger.warn({ port: 1 }, "started"));
    expect(written).toMatch(
      /^\{"level":"warn","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","port":1,"msg":"started"\}\n$/,
    );
  });

  it.each([
    ["a cause of its own", ["closed", "reset"], "closed: reset"],
    ["a cause that it names", ["cannot open: no space", "no space"], "cannot open: no space"],
    ["causes that it repeats", ["a: b: c", "a: b: c", "b: c"], "a: b: c"],
  ])("says once what is wrong of an error with %s", async (_, messages, expected) => {
    const error = messages.reduceRight<Error | undefined>(
      (cause, text) => new Error(text, { cause }),
      undefined,
    );
    const written = await logged(({ logger }) => logger.error({ err: error }, "failed"));
    expect(JSON.parse(written)).toMatchObject({ err: { message: expected } });
  });

  it("leaves out what is below the level", async () => {
    const written = await logged(
      ({ logger }) => {
        logger.info("no");
        logger.error("yes");
      },
      { level: "error" },
    );
    expect(written.split("\n").map((line) => line.includes("yes"))).toEqual([true, false]);
  });

  it("masks credentials in fields and errors, with the stack kept", async () => {
    const err = Object.assign(new Error("boom"), {
      request: { headers: { Authorization: "Bearer hidden" } },
    });
    const written = await logged(({ logger }) =>
      logger.error({ err, headers: { "x-api-key": "hidden" } }, "failed"),
    );
    expect(written).not.toContain("hidden");
    expect(JSON.parse(written)).toMatchObject({
      err: {
        message: "boom",
        stack: expect.stringContaining("log.test.ts"),
        request: { headers: { Authorization: "[masked]" } },
      },
      headers: { "x-api-key": "[masked]" },
    });
  });

  it("keeps every line, in order, through many batches", async () => {
    const written = await logged(({ logger }) => {
      for (let i = 0; i < 20_000; i++) logger.info({ i });
    });
    const numbers = written
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).i);
    expect(numbers).toEqual(Array.from({ length: 20_000 }, (_, i) => i));
  });

  it("keeps lines of any length", async () => {
    const texts = ["a", "ä".repeat(5_000), "b", "c".repeat(300_000), "d"];
    const written = await logged(({ logger }) => {
      for (const long of texts) logger.info({ long });
    });
    const longs = written
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).long);
    expect(longs).toEqual(texts);
  });

  it("writes by itself after a while", async () => {
    const fd = openFifo();
    await using log = openLog({ level: "info" }, fd);
    log.logger.info("alone");
    const { bytesRead, buffer } = await promisify(read)(fd, { buffer: Buffer.alloc(1_000) });
    closeSync(fd);
    expect(buffer.toString("utf8", 0, bytesRead)).toContain('"msg":"alone"');
  });

  it.each([false, true])("writes at once what is flushed, pretty %j", async (pretty) => {
    const fd = openFifo();
    await using log = openLog({ level: "info", pretty }, fd);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    log.logger.info("at once");
    log.logger.flush();
    const { bytesRead, buffer } = await promisify(read)(fd, { buffer: Buffer.alloc(1_000) });
    closeSync(fd);
    vi.useRealTimers();
    expect(buffer.toString("utf8", 0, bytesRead)).toContain("at once");
  });

  it("waits for a reader that is slow", async () => {
    // Four times of what a pipe holds, written before anybody reads.
    const fd = openFifo(constants.O_NONBLOCK);
    const log = openLog({ level: "info" }, fd);
    for (let i = 0; i < 4_000; i++) log.logger.info({ i });
    const reader = spawn("cat", [join(folder, "fifo")], { stdio: ["ignore", "pipe", "inherit"] });
    const received = text(reader.stdout);
    // This ends only once the reader has the pipe open, so closing it loses nothing.
    await log[Symbol.asyncDispose]();
    closeSync(fd);
    expect((await received).trimEnd().split("\n").length).toBe(4_000);
  });

  it("writes at once on flush, and on fatal", async () => {
    const path = join(folder, "flush.log");
    const fd = openSync(path, "w");
    await using log = openLog({ level: "info" }, fd);
    log.logger.info("waits");
    const before = readFileSync(path, "utf8");
    log.flushSync();
    const flushed = readFileSync(path, "utf8");
    log.logger.fatal("last words");
    const fatal = readFileSync(path, "utf8");
    expect([before, flushed.split("\n").length, fatal.split("\n").length]).toEqual(["", 2, 3]);
  });

  it("writes text for people if configured", async () => {
    const written = await logged(({ logger }) => logger.info({ port: 8080 }, "listening"), { pretty: true });
    expect(written).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO {2}listening port=8080\n$/);
  });

  it("goes on without a log when the descriptor fails", async () => {
    const fd = openSync(join(folder, "readonly.log"), "a+");
    closeSync(fd);
    const read = openSync(join(folder, "readonly.log"), "r");
    await using log = openLog({ level: "info" }, read);
    log.logger.info("nowhere");
    log.flushSync();
    log.logger.info("nowhere either");
    log.flushSync();
    closeSync(read);
    expect(readFileSync(join(folder, "readonly.log"), "utf8")).toBe("");
  });
});
