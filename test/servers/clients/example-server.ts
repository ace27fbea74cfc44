import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { parse, stringify } from "yaml";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { freePort } from "../ports.ts";

export interface ExampleServer extends AsyncDisposable {
  /** Replaces the addresses and commands in the text of a README by those of this run. */
  readonly place: (text: string) => string;
  /** Resolves when queries find this many events. */
  loaded(events: number): Promise<void>;
}

/** Starts a server with the demo's configuration, and with the settings that a README has as YAML. */
export async function openExampleServer(readme: string): Promise<ExampleServer> {
  const folder = mkdtempSync(join(tmpdir(), "engage-examples-"));
  const [, settings = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(readme, "utf8")) ?? [];
  const [receiver, handler] = [await freePort(), await freePort()];
  const ports = (text: string) =>
    text.replaceAll(
      /(127\.0\.0\.1(?::|", ))(8090|9000)/g,
      (_all, host, port) => `${host}${port === "8090" ? receiver : handler}`,
    );
  const config = join(folder, "engage.yaml");
  writeFileSync(
    config,
    stringify({ ...parse(readFileSync("engage.demo.yaml", "utf8")), ...parse(ports(settings)) }),
  );
  const env = {
    ENGAGE_CONFIG: config,
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_DATA: join(folder, "data"),
    ENGAGE_LOG_LEVEL: "silent",
  };
  const server = await startServer(loadConfig({ env, cwd: process.cwd() }).config);
  const { url, port } = server.address;
  const program = `"${process.execPath}" "${join(process.cwd(), "cmd/engage.ts")}"`;
  return {
    place: (text) =>
      ports(text)
        .replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)
        .replaceAll(/^engage /gm, `${program} `),
    async loaded(events) {
      await vi.waitFor(
        async () => {
          const metrics = await (await fetch(`${url}/metrics`)).text();
          expect(metrics).toContain(`engage_events_loaded_records_total{kind="event"} ${events}\n`);
        },
        { timeout: 60_000, interval: 100 },
      );
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
