import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { loadConfig } from "../../cmd/config/config.ts";
import { startServer } from "../../cmd/serve/server.ts";
import type { OnEnd } from "../open-for-all.ts";
import { folderWith } from "./config/load.ts";
import { listen, secret } from "./listener.ts";

export interface ChannelServerOptions {
  /** Files of the working folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Numbers of the elements of each batch that the receiver names as failed. */
  readonly fail?: readonly number[];
  /** HTTP status of the receiver. */
  readonly status?: number;
  /** Requests per second, with ten messages each. */
  readonly rate?: number;
  /** Name of the channel. */
  readonly name?: string;
  readonly onEnd?: OnEnd;
}

/** A server with a push channel to a receiver, and the folder in which commands run. */
export async function openChannelServer({
  files = {},
  fail = [],
  status = 200,
  rate,
  name = "mail",
  onEnd = onTestFinished,
}: ChannelServerOptions = {}) {
  const response = { fail, returnCode: 0, status, isEmpty: false };
  const receiver = await listen({ response }, onEnd);
  const cwd = folderWith(files, onEnd);
  const start = async (address: string) => {
    const settings = {
      listen: address,
      data: "data",
      log: { level: "silent" },
      drainMs: 1_000,
      projects: [{ id: 1, appids: ["shop"], zone: "+00:00" }],
      channel: { outbound: { allow: ["127.0.0.0/8"] } },
    };
    writeFileSync(join(cwd, "engage.yaml"), JSON.stringify(settings));
    const { config, locate } = loadConfig({ env: {}, cwd });
    const server = await startServer(config, { locate });
    onEnd(() => server.stop());
    return server;
  };
  const server = await start("127.0.0.1:0");
  const { url } = server.address;
  const created = await fetch(`${url}/v1/channels`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      name,
      project_id: "1",
      url: receiver.url,
      push_id_property: "#account_id",
      authentication: { secret },
      ...(rate !== undefined && { delivery: { batch_size: 10, rate_limit: rate } }),
      content_template: [
        { name: "title", input_method: "INPUT_METHOD_TEXT", required: true },
        { name: "count", input_method: "INPUT_METHOD_NUMBER" },
      ],
    }),
  });
  expect(created.status).toBe(200);
  const restart = async () => {
    await server.stop();
    await start(new URL(url).host);
  };
  return { cwd, url, restart, seen: receiver.seen, receiverUrl: receiver.url };
}
