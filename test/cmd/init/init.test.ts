import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type InitOptions, runInit } from "../../../cmd/init/init.ts";
import { captureOutput } from "../captured-output.ts";
import { folderWith } from "../config/load.ts";
import { runEngage } from "../run-engage.ts";

/** Runs the command in a new folder, on a terminal with these answers if there are any. */
async function init(options: InitOptions, answers?: readonly string[], cwd = folderWith({})) {
  const { streams, written } = captureOutput((answers ?? []).map((line) => `${line}\n`).join(""));
  const stdin = Object.assign(streams.stdin, { isTTY: answers !== undefined });
  await runInit("engage.yaml", options, { ...streams, stdin, cwd });
  const { config } = loadConfig({ env: {}, cwd });
  return { ...written, config, cwd, file: join(cwd, "engage.yaml") };
}

describe("engage init", () => {
  it("writes what was answered and proposed, for its owner alone", async () => {
    const answers = ["", "", "shop", "", "Mars", "Europe/Berlin", "main"];
    const { config, stdout, stderr, file } = await init({}, answers);
    expect(config).toMatchObject({
      listen: { host: "127.0.0.1", port: 8080 },
      auth: { mode: "off", keys: [] },
      projects: [{ id: 1, name: "shop", appids: ["shop-app"], zone: "Europe/Berlin" }],
      webhook: { channels: { main: { targets: ["log"] } }, targets: { log: { kind: "log" } } },
    });
    expect(stderr).toContain("App id by which SDKs send events to it [shop-app]: ");
    expect(stderr).toContain('  must be a time zone, valid are offsets such as "+08:00" and names such as ');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [, token = ""] = /query token; it is shown only once:\n\n {2}(\S+)\n/.exec(stdout)!;
    expect(config.analysis.tokens).toMatchObject([{ name: "init", sha256: sha256Hex(token) }]);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain(token);
    expect(stdout).toContain(config.webhook.channels["main"]!.secrets[0]!.value);
    expect(stdout).not.toContain("key of callers");
  });

  it("asks for a key on an address that other machines reach", async () => {
    const { config, stdout } = await init({ yes: true, listen: "0.0.0.0:80", zone: "+08:00", json: true });
    const { key, token } = JSON.parse(stdout) as { key: string; token: string };
    expect(config.auth).toMatchObject({ mode: "keys", keys: [{ name: "init", sha256: sha256Hex(key) }] });
    expect(config.analysis.tokens[0]).toMatchObject({ sha256: sha256Hex(token) });
    expect(config.webhook.channels).toEqual({});
  });

  it.each<[InitOptions, readonly string[] | undefined, string]>([
    [{}, undefined, "add --yes to take the proposed values: standard input is no terminal"],
    [{ yes: true, listen: "here" }, undefined, '--listen is "here", must be host:port'],
    [{ yes: true, project: "a b" }, undefined, '--project is "a b", must be 1 to 64 letters'],
    [{}, ["", ""], "standard input ended before all questions were answered"],
  ])("refuses %j with the answers %j", async (options, answers, message) => {
    await expect(init(options, answers)).rejects.toThrow(message);
  });

  it("replaces a file only with --force", async () => {
    const cwd = folderWith({});
    writeFileSync(join(cwd, "engage.yaml"), "drainMs: 5");
    await expect(init({ yes: true }, undefined, cwd)).rejects.toThrow("exists, add --force to replace it");
    expect(readFileSync(join(cwd, "engage.yaml"), "utf8")).toBe("drainMs: 5");
    chmodSync(join(cwd, "engage.yaml"), 0o644);
    await init({ yes: true, force: true }, undefined, cwd);
    expect(readdirSync(cwd)).toEqual(["engage.yaml"]);
    expect(statSync(join(cwd, "engage.yaml")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cwd, "engage.yaml"), "utf8")).toContain("# Configuration of engage.");
  });
});

it("a configuration of engage init has no problems", async () => {
  const cwd = folderWith({});
  expect(await runEngage(["init", "--yes", "--webhook", "main"], { cwd })).toMatchObject({
    code: 0,
    stderr: "",
  });
  const checked = await runEngage(["config", "--check"], { cwd });
  expect([checked.code, checked.stdout]).toEqual([0, "engage.yaml: no problems found\n"]);
});
