import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";

/**
 * Runs what README.md shows. A `console` block holds commands behind `$ ` and
 * what they print; an ellipsis stands for what differs from run to run. The
 * blocks share one shell and the server that `npm start` starts.
 */
const blocks = [...readFileSync("README.md", "utf8").matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(
  (match) => match[1] as string,
);
const steps = blocks.flatMap((block) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = "", ...output] = step.split("\n");
      return { command, output: output.join("\n") };
    }),
);

let server: ChildProcess;
let shell: ChildProcess;
let address = "";

beforeAll(async () => {
  const data = mkdtempSync(join(tmpdir(), "engage-readme-"));
  server = spawn("npm", ["start"], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_DATA: data },
  });
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    address = /"url":"http:\/\/([^"]+)","version"/.exec(line)?.[1] ?? "";
    if (address !== "") break;
  }
  server.stdout?.resume();
  shell = spawn("bash", ["-o", "pipefail"], { stdio: ["pipe", "pipe", "pipe"] });
});

afterAll(async () => {
  shell.stdin?.end();
  // The group: npm, its shell and the server.
  process.kill(-(server.pid as number), "SIGTERM");
  await once(server, "exit");
});

it.each(steps)("$command", async ({ command, output }) => {
  const printed = await run(
    command.replaceAll("127.0.0.1:8080", address).replace(/(parse|report)\.ts/, `$& ${address}`),
  );
  expect(printed.trim()).toMatch(pattern(output.trim()));
});

it("starts with the two commands", () => {
  expect(readFileSync("README.md", "utf8")).toMatch(
    /npm ci && npm start[\s\S]*npm ci && npm test[\s\S]*## Parse/,
  );
});

const mark = "--- end of output ---";

/** What the command prints, in the shell that all commands share. */
async function run(command: string): Promise<string> {
  shell.stdin?.write(`${command}\necho '${mark}'\n`);
  let printed = "";
  for await (const [chunk] of on(shell)) {
    printed += String(chunk);
    if (printed.endsWith(`${mark}\n`)) break;
  }
  return printed.slice(0, -mark.length - 1);
}

async function* on(process: ChildProcess): AsyncGenerator<[Buffer]> {
  for (;;) yield (await once(process.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
}

function pattern(output: string): RegExp {
  const escaped = output.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^]*?")}$`);
}
