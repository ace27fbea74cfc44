import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer } from "../harness/processes.ts";
import { secret } from "./secret.ts";
import type { TargetPorts } from "./targets.ts";

const folder = mkdtempSync(join(tmpdir(), "engage-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

function dataOf(port: number): string {
  const data = join(folder, String(port));
  mkdirSync(data);
  return data;
}

export async function startFloor(port: number): Promise<Server> {
  return await startServer("bench/webhook/floor.ts", port, { ENGAGE_DATA: dataOf(port) });
}

/**
 * Starts the service with these channels and targets: no consumer pulls `queue`; `fast` and `slow` get whole batches.
 */
export async function startService(
  port: number,
  channels: Readonly<Record<string, readonly string[]>>,
  {
    targets,
    inbox = {},
    isOpen = false,
  }: { readonly targets?: TargetPorts; readonly inbox?: object; readonly isOpen?: boolean } = {},
): Promise<Server> {
  const data = dataOf(port);
  const file = join(data, "engage.json");
  const called = (to: number) => ({
    kind: "http",
    url: `http://127.0.0.1:${to}/`,
    per: "batch",
    timeoutMs: 30_000,
  });
  const config = {
    listen: `127.0.0.1:${port}`,
    data,
    log: { level: "warn", access: false },
    parser: { separator: ":ta:" },
    webhook: {
      channels: Object.fromEntries(
        Object.entries(channels).map(([name, names]) => [
          name,
          { ...(isOpen ? { auth: "off" } : { secrets: [{ value: secret }] }), targets: names },
        ]),
      ),
      targets: {
        queue: { kind: "pull" },
        ...(targets && { fast: called(targets.fast), slow: called(targets.slow) }),
      },
      outbound: { allow: ["127.0.0.1"] },
      inbox,
    },
  };
  writeFileSync(file, JSON.stringify(config));
  return await startServer(`cmd/engage.ts serve --config ${file}`, port);
}
