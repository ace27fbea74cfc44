import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

/**
 * Runs the commands in README.md. A `console` block has commands after `$ ` and their output; an ellipsis stands for
 * output that differs between runs. The blocks share one shell and the server that `npm start` starts. A command that
 * ends with ` &` runs in the background: its first line is awaited at once, the rest of its output after all commands.
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
      return { command, output: output.join("\n"), isBeside: command.endsWith(" &") };
    }),
);

let server: ChildProcess;
let shell: ChildProcess;
let address = "";
let listener = "";
/** Background commands with their output so far. */
const beside: { readonly child: ChildProcess; readonly output: string; printed: string }[] = [];

beforeAll(async () => {
  const data = mkdtempSync(join(tmpdir(), "engage-readme-"));
  server = spawn("npm", ["start"], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_DATA: data },
  });
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    address = /"url":"http:\/\/([^"]+)",.*"msg":"listening"/.exec(line)?.[1] ?? "";
    if (address !== "") break;
  }
  server.stdout?.resume();
  shell = spawn("bash", ["-o", "pipefail"], { stdio: ["pipe", "pipe", "pipe"] });
});

afterAll(async () => {
  shell.stdin?.end();
  // The groups: npm, its shell and what it runs.
  for (const child of [server, ...beside.map((one) => one.child)]) {
    process.kill(-(child.pid as number), "SIGTERM");
    await once(child, "exit");
  }
});

it.each(steps)("$command", async ({ command: written, output, isBeside }) => {
  const command = written
    .replaceAll("127.0.0.1:8080", address)
    .replaceAll("127.0.0.1:8090", listener)
    .replace(/(parse|report)\.ts/, `$& ${address}`);
  const printed = await (isBeside ? begin(command, output) : run(command));
  expect(printed.trim()).toMatch(
    pattern(isBeside ? firstLine(output.replace("127.0.0.1:8090", listener)) : output.trim()),
  );
});

it("what runs beside the others prints what is shown", async () => {
  expect(beside).toHaveLength(steps.filter(({ isBeside }) => isBeside).length);
  for (const one of beside) {
    await vi.waitFor(() => expect(one.printed.trim()).toMatch(pattern(one.output.trim())));
  }
});

it("starts with the two commands", () => {
  expect(readFileSync("README.md", "utf8")).toMatch(
    /npm ci && npm start[\s\S]*npm ci && npm test[\s\S]*## Parse/,
  );
});

/** Starts a receiver that goes on, on a port that is free; resolves with the first line of what it prints. */
async function begin(command: string, shown: string): Promise<string> {
  const free = command.replace(/ &$/, " --port 0");
  const child = spawn("bash", ["-c", free], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const one = { child, output: shown.replace("127.0.0.1:8090", "127.0.0.1:…"), printed: "" };
  beside.push(one);
  child.stdout.on("data", (chunk) => {
    one.printed += String(chunk);
  });
  await vi.waitFor(() => expect(one.printed).toContain("\n"), { timeout: 20_000 });
  listener = /127\.0\.0\.1:\d+/.exec(one.printed)?.[0] ?? "";
  return one.printed;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] as string;
}

const mark = "--- end of output ---";

/** Runs a command in the shared shell and returns its output. */
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
