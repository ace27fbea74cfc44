import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "engage-log-end-"));
afterAll(() => rmSync(folder, { recursive: true }));

const serveFolder = join(import.meta.dirname, "../../../../cmd/serve");
/** More than a socket or a pipe holds. */
const lines = 6_000;

/** Writes lines to standard error and ends. Standard output says when the end begins. */
const program = (end: string) => `
  import { pbkdf2 } from "node:crypto";
  import { writeSync } from "node:fs";
  import { openLog } from ${JSON.stringify(join(serveFolder, "log/log.ts"))};
  import { dieBySignals } from ${JSON.stringify(join(serveFolder, "stop-signals.ts"))};
  process.once("exit", () => writeSync(1, "ending"));
  const log = openLog({ level: "info" }, 2);
  const { logger } = log;
  for (let i = 0; i < ${lines}; i++) logger.info({ i });
  ${end}`;

const argumentsOf = (end: string) => ["--input-type=module-typescript", "-e", program(end)];

/** The numbers of the lines, in the order in which they were written. */
const numbersOf = (written: string) =>
  written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).i);

const numbersTo = (end: number) => Array.from({ length: end }, (_, i) => i);

const endBySignal = "dieBySignals(); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1_000);";

const ends: [name: string, end: string, lines: number][] = [
  ["by process.exit", "process.exit(0)", lines],
  [
    "while lines are being written",
    `setImmediate(() => { logger.info({ i: ${lines} }); process.exit(0); })`,
    lines + 1,
  ],
  ["while its threads are busy", "pbkdf2('a', 'b', 200_000, 64, 'sha512', () => {}); process.exit(0)", lines],
  ["by itself", "", lines],
  [
    "by an uncaught error",
    "process.setUncaughtExceptionCaptureCallback(() => process.exit(1)); throw new Error('x')",
    lines,
  ],
  ["by a signal", endBySignal, lines],
  ["after its log is closed", "await log[Symbol.asyncDispose](); process.exit(0)", lines],
];

// One thread for writes, so that a busy thread delays all of them.
const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };

describe("a process that ends", () => {
  it.each(ends)("%s loses no line", async (_, end, expected) => {
    const child = spawn(process.execPath, argumentsOf(end), { stdio: ["ignore", "ignore", "pipe"], env });
    expect(numbersOf(await text(child.stderr))).toEqual(numbersTo(expected));
  });

  it.each(ends)("%s loses no line in a pipe", async (_, end, expected) => {
    const command = `"$0" "$@" 2>&1 >/dev/null | cat`;
    const child = spawn("bash", ["-c", command, process.execPath, ...argumentsOf(end)], {
      stdio: ["ignore", "pipe", "inherit"],
      env,
    });
    expect(numbersOf(await text(child.stdout))).toEqual(numbersTo(expected));
  });

  it.each(ends)("%s loses no line in a file", async (_, end, expected) => {
    const path = join(folder, "file.log");
    const fd = openSync(path, "w");
    const child = spawn(process.execPath, argumentsOf(end), { stdio: ["ignore", "ignore", fd], env });
    await once(child, "exit");
    closeSync(fd);
    expect(numbersOf(readFileSync(path, "utf8"))).toEqual(numbersTo(expected));
  });

  it("waits for a reader that begins to read late", async () => {
    const child = spawn(process.execPath, argumentsOf("process.exit(0)"), {
      stdio: ["ignore", "pipe", "pipe"],
      env,
    });
    await once(child.stdout, "data");
    expect(numbersOf(await text(child.stderr))).toEqual(numbersTo(lines));
  });

  it("by a signal has the status of this signal", async () => {
    const child = spawn(process.execPath, argumentsOf(endBySignal), {
      stdio: ["ignore", "ignore", "pipe"],
      env,
    });
    const ended = once(child, "exit");
    await text(child.stderr);
    expect(await ended).toEqual([null, "SIGTERM"]);
  });
});

/** A named pipe, open at both ends, that is never read. */
function openFifo(): number {
  const path = join(folder, "fifo");
  rmSync(path, { force: true });
  execFileSync("mkfifo", [path]);
  return openSync(path, constants.O_RDWR);
}

it("a process whose log is not read ends nevertheless", async () => {
  const fd = openFifo();
  const end = "await log[Symbol.asyncDispose](); process.exit(0);";
  const child = spawn(process.execPath, argumentsOf(end), { stdio: ["ignore", "ignore", fd], env });
  const [code] = await once(child, "exit", { signal: AbortSignal.timeout(15_000) }).finally(() =>
    child.kill("SIGKILL"),
  );
  closeSync(fd);
  expect(code).toBe(0);
}, 20_000);

it("a process whose log is a socket that is not read ends nevertheless", async () => {
  const child = spawn(process.execPath, argumentsOf("process.exit(0)"), {
    stdio: ["ignore", "ignore", "pipe"],
    env,
  });
  const [code] = await once(child, "exit", { signal: AbortSignal.timeout(15_000) }).finally(() =>
    child.kill("SIGKILL"),
  );
  expect(code).toBe(0);
}, 20_000);
