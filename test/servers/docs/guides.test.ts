import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FileStep, listGuides, needsOf, readPage } from "../../docs/examples/page.ts";
import { type ExampleShell, openShell } from "../../docs/examples/shell.ts";
import { type OnEnd, openForAll } from "../../open-for-all.ts";
import { openPostgresServer } from "../inbox/postgres-server.ts";

/** Opens a server that pages need. Returns the port that stands for the one of the page. */
type OpenNeeded = (onEnd: OnEnd) => Promise<readonly [written: string, port: number]>;

/** The servers by the names in the comments of pages. */
const needed: Readonly<Record<string, OpenNeeded>> = {
  postgresql: async (onEnd) => {
    const server = await openPostgresServer();
    onEnd(() => server[Symbol.asyncDispose]());
    return ["5432", Number(new URL(server.url).port)];
  },
  smtp: async (onEnd) => {
    const server = new SMTPServer({
      disabledCommands: ["STARTTLS", "AUTH"],
      logger: false,
      onData: (stream, _session, callback) => stream.on("end", callback).resume(),
    });
    server.listen(0, "127.0.0.1");
    await once(server.server, "listening");
    onEnd(() => new Promise((resolve) => server.close(() => resolve())));
    return ["2525", (server.server.address() as AddressInfo).port];
  },
};

const names = listGuides().filter((name) => needsOf(name).length > 0);

/** The numbers of steps are known before the servers run; their ports are not. */
const pages = await Promise.all(names.map((name) => readPage(name)));

describe.each(pages)("$name", ({ name, needs, steps }) => {
  const opened = openForAll(async (onEnd) => {
    const ports = new Map(await Promise.all(needs.map((need) => needed[need]!(onEnd))));
    const page = await readPage(name, ports);
    const shell: ExampleShell = openShell();
    onEnd(() => shell[Symbol.asyncDispose]());
    return { shell, steps: page.steps };
  });
  const cases = steps.map(({ title }, at) => [title.replace(/\d{5}/g, "…"), at] as const);

  it.each(cases)("%s", (_title, at) => opened().shell.take(opened().steps[at]!));

  it("what runs beside the others prints what is shown", () => opened().shell.checkBeside());
});

it("the units of systemd are valid", async () => {
  const { steps } = await readPage("docs/operations.md");
  const units = steps.filter((step): step is FileStep => /\.(?:service|timer)$/.test(step.title));
  const folder = mkdtempSync(join(tmpdir(), "engage-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = units.map(({ file, content }) => {
    // The program and the user of the page do not exist here.
    const known = content.replace("/usr/local/bin/engage", "/bin/true").replace("User=engage", "User=root");
    writeFileSync(join(folder, file), known);
    return join(folder, file);
  });
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...files], { encoding: "utf8" });
  expect([files.length, status, stderr]).toEqual([3, 0, ""]);
});
