import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import type { ReloadReport } from "../../cmd/serve/reload/reload.ts";
import { type RunningServer, startServer } from "../../cmd/serve/server.ts";
import type { OnEnd } from "../open-for-all.ts";
import { folderWith } from "./config/load.ts";

export const secret = "a secret of the test";

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A whole server with webhooks, and what a platform and its operator do with it. */
export interface WebhookServer extends Omit<RunningServer, "reload"> {
  /** Reads another section `webhook`, and other settings, while it runs. */
  reload(webhook?: object, settings?: object): Promise<ReloadReport>;
  readonly url: string;
  /** Its data folder. */
  readonly data: string;
  /** Sends a body as the platform does, signed for the channel `demo`. */
  send(body: string | Buffer, options?: SendOptions): Promise<Answer>;
  /** Calls a REST path: with a body by POST, without by GET. */
  rest(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface SendOptions {
  readonly channel?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WebhookServerOptions {
  readonly data?: string;
  readonly settings?: object;
  /** Gets the function that stops the server. */
  readonly onEnd?: OnEnd;
  readonly logFd?: number;
}

export function sign(body: string | Buffer, key: string = secret): string {
  return createHmac("sha1", key).update(body).digest("hex");
}

/** A folder for data that outlives a server. */
export function dataFolder(onEnd: OnEnd = onTestFinished): string {
  return folderWith({}, onEnd);
}

/**
 * Starts a server whose section `webhook` is as given, with a signed channel
 * `demo` unless it has channels of its own. Stopped when the test ends, or by
 * the function that `onEnd` gets.
 */
export async function openWebhookServer(
  webhook: object = {},
  { onEnd = onTestFinished, data = dataFolder(onEnd), settings = {}, logFd }: WebhookServerOptions = {},
): Promise<WebhookServer> {
  const channels = { demo: { secrets: [{ value: secret }], targets: ["pulled"] } };
  const targets = { pulled: { kind: "pull" } };
  const textOf = (changed: object, changes: object = {}): string =>
    JSON.stringify({
      listen: "127.0.0.1:0",
      data,
      log: { level: logFd === undefined ? "silent" : "info" },
      drainMs: 2_000,
      webhook: { channels, targets, ...changed },
      ...settings,
      ...changes,
    });
  const cwd = folderWith({ "engage.yaml": textOf(webhook) }, onEnd);
  const { config, locate } = loadConfig({ env: {}, cwd });
  const server = await startServer(config, { locate, ...(logFd !== undefined && { logFd }) });
  onEnd(() => server.stop());
  const { url } = server.address;
  return {
    ...server,
    ...webhookClient(url),
    data,
    async reload(changed = webhook, changes = {}) {
      writeFileSync(join(cwd, "engage.yaml"), textOf(changed, changes));
      return await server.reload(loadConfig({ env: {}, cwd }));
    },
  };
}

/** What a platform and an operator do with a server. */
export type WebhookClient = Pick<WebhookServer, "url" | "send" | "rest">;

export function webhookClient(url: string): WebhookClient {
  const json = { "content-type": "application/json" };
  return {
    url,
    async send(body, { channel = "demo", headers = {} } = {}) {
      const merged = new Headers({ ...json, "x-svc-ops-signature": sign(body) });
      for (const [name, value] of Object.entries(headers)) merged.set(name, value);
      return await answerOf(
        await fetch(`${url}/webhook/${channel}`, {
          method: "POST",
          body: new Uint8Array(Buffer.from(body as string)),
          headers: merged,
        }),
      );
    },
    async rest(path, body, headers = {}) {
      const post = { method: "POST", body: JSON.stringify(body), headers: { ...json, ...headers } };
      return await answerOf(await fetch(`${url}${path}`, body === undefined ? { headers } : post));
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, text: await response.text(), headers: response.headers };
}
