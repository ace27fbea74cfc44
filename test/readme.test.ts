import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { readPage } from "./docs/examples/page.ts";
import { openShell } from "./docs/examples/shell.ts";
import { openForAll } from "./open-for-all.ts";

/** Runs the commands in README.md, in the folder of the repository, while the server that `npm start` starts runs. */
const { steps, ports } = await readPage("README.md");

const shell = openForAll(async (onEnd) => {
  const data = mkdtempSync(join(tmpdir(), "engage-readme-"));
  onEnd(() => rmSync(data, { recursive: true }));
  const server = spawn("npm", ["start"], {
    // A group: npm, its shell and the server.
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ENGAGE_LISTEN: `127.0.0.1:${ports.get("8080")}`, ENGAGE_DATA: data },
  });
  onEnd(async () => {
    process.kill(-(server.pid as number), "SIGTERM");
    await once(server, "exit");
  });
  await listening(server);
  const opened = openShell({ folder: process.cwd() });
  onEnd(() => opened[Symbol.asyncDispose]());
  return opened;
});

it.each(steps)("$title", (step) => shell().take(step));

it("what runs beside the others prints what is shown", () => shell().checkBeside());

it("starts with the two commands", () => {
  expect(readFileSync("README.md", "utf8")).toMatch(
    /npm ci && npm start[\s\S]*npm ci && npm test[\s\S]*## Parse/,
  );
});

async function listening(server: ChildProcess): Promise<void> {
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    if (line.includes('"msg":"listening"')) break;
  }
  server.stdout?.resume();
}
