import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";

/** A server with a webhook channel whose messages are delivered to the log, or given up by a target. */
export interface Served extends AsyncDisposable {
  readonly url: string;
  readonly server: RunningServer;
  /** Sends a signed batch, as the platform does. */
  sendBatch(channel: string, requestId: string, pushIds: readonly string[]): Promise<void>;
  /** Waits until all messages of a channel have an outcome. */
  settled(channel: string): Promise<void>;
}

/** The secret of both channels. */
export const secret = "secret-of-the-console-suite";

/** A target at an address, to which a channel of the same name delivers. */
export interface ServedTarget {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  /** Whether clicks are sent to it too, as to the platform. */
  readonly takesClicks?: boolean;
}

/**
 * @param more further lines of the configuration
 * @param headers of calls that need a key
 */
export async function openServed(
  more: string,
  headers: Readonly<Record<string, string>> = {},
  target?: ServedTarget,
): Promise<Served> {
  const data = mkdtempSync(join(tmpdir(), "engage-console-"));
  const file = join(data, "engage.yaml");
  writeFileSync(file, `${configuration(data, target)}${more}`);
  const { config, locate, describe } = loadConfig({ env: {}, cwd: data, file });
  const server = await startServer(config, { locate, describe });
  const { url } = server.address;
  return {
    url,
    server,
    async sendBatch(channel, requestId, pushIds) {
      const body = JSON.stringify(pushIds.map((pushId) => messageOf(pushId, requestId)));
      const signature = createHmac("sha1", secret).update(body).digest("hex");
      const response = await fetch(`${url}/webhook/${channel}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-svc-ops-signature": signature },
        body,
      });
      if (response.status !== 200) throw new Error(await response.text());
    },
    async settled(channel) {
      for (;;) {
        const response = await fetch(`${url}/v1/webhook/stats?channel=${channel}`, { headers });
        const { targets = [] } = (await response.json()) as { targets?: { pending?: string }[] };
        if (targets.length > 0 && targets.every(({ pending = "0" }) => pending === "0")) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(data, { recursive: true });
    },
  };
}

function messageOf(pushId: string, requestId: string) {
  return {
    push_id: pushId,
    params: { title: `Hello ${pushId}` },
    "#ops_receipt_properties": { ops_request_id: requestId },
  };
}

/** The template of the broken channel's target names a field that no message has, so that each is given up. */
const configuration = (data: string, target?: ServedTarget): string => `listen: 127.0.0.1:0
data: ${data}
log: { level: silent }
projects: [{ id: 1, appids: [app] }]
webhook:
  channels:
    mail: { secrets: [{ value: ${secret} }], targets: [log] }
    broken: { secrets: [{ value: ${secret} }], targets: [archive] }
${target === undefined ? "" : `    ${target.name}: { secrets: [{ value: ${secret} }], targets: [${target.name}] }`}
${target === undefined ? "" : `  outbound: { allow: ["127.0.0.1:${target.port}"] }`}
${target?.takesClicks === true ? `  clicks: { forward: { url: "http://127.0.0.1:${target.port}", appid: app } }` : ""}
  targets:
${target === undefined ? "" : `    ${target.name}: { kind: http, url: "${target.url}" }`}
    log: { kind: log }
    archive: { kind: file, path: ${join(data, "archive.ndjson")}, body: { to: "{params.missing}" } }
`;
