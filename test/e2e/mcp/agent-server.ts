import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, vi } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import { sha256Hex } from "../../../base/text/digest.ts";
import { openWebhookServer, secret, type WebhookServer } from "../../cmd/webhook-server.ts";
import type { OnEnd } from "../../open-for-all.ts";

export const keys = { agent: "key-agent", reader: "key-reader", other: "key-other" } as const;

const at = (secondsAgo: number): string =>
  new Date(Date.now() - secondsAgo * 1_000).toISOString().slice(0, 19).replace("T", " ");

const login = (account: string, city: string) => ({
  "#type": "track",
  "#event_name": "login",
  "#account_id": account,
  "#time": at(60),
  properties: { city },
});
const profile = (account: string) => ({
  "#type": "user_set",
  "#account_id": account,
  "#time": at(60),
  properties: { level: 3 },
});

/** A whole server with keys, three logins of two users, and a push channel whose receiver it is itself. */
export async function openAgentServer(onEnd: OnEnd): Promise<WebhookServer & { readonly channelId: string }> {
  const settings = {
    projects: [{ id: 1, appids: ["shop"], zone: "+00:00" }],
    channel: { outbound: { allow: ["127.0.0.0/8"] } },
    events: { batch: { maxDelayMs: 20 }, spool: { minFreeBytes: 0 } },
    auth: {
      mode: "keys",
      keys: [
        { name: "agent", sha256: sha256Hex(keys.agent), methods: ["*"] },
        { name: "reader", sha256: sha256Hex(keys.reader), methods: ["*"], access: "read" },
        { name: "other", sha256: sha256Hex(keys.other), methods: ["proto.Parser/*"] },
      ],
    },
    mcp: { push: { allow: true, maxPerDay: 100 } },
  };
  const server = await openWebhookServer({}, { settings, onEnd });
  const headers = { authorization: `Bearer ${keys.agent}` };
  const records = [
    login("ann", "Bern"),
    login("ann", "Bern"),
    login("bob", "Oslo"),
    profile("ann"),
    profile("bob"),
  ];
  expect((await server.rest("/sync_server", records, { appid: "shop", compress: "none" })).text).toContain(
    '"code":0',
  );
  await vi.waitFor(
    async () => {
      const { text } = await server.rest("/v1/projects/1/events", undefined, headers);
      expect(JSON.parse(text).events).toMatchObject([{ name: "login", count: "3" }]);
    },
    { timeout: 20_000, interval: 50 },
  );
  const channel = {
    name: "Mail",
    projectId: 1,
    url: `${server.url}/webhook/demo`,
    pushIdProperty: "#account_id",
    authentication: { secret },
    contentTemplate: [{ name: "title", inputMethod: "INPUT_METHOD_DYNAMIC_TEXT", required: true }],
  };
  const created = await server.rest("/v1/channels", channel, headers);
  expect(created.status, created.text).toBe(200);
  return { ...server, channelId: JSON.parse(created.text).channel.channelId };
}

/** The revisions of the protocol that the reference client speaks. */
export const revisions = ["legacy", { pin: "2026-07-28" }] as const;

export const transports = {
  http: (url: string, key: string) =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  stdio: (url: string, key: string) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [join(packageRoot, "cmd/engage.ts"), "mcp", "--url", url],
      env: { PATH: process.env["PATH"] ?? "", ENGAGE_KEY: key },
    }),
} as const;

export interface Agent extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool; resolves with its output. @throws Error with the message of a failure */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  call(name: string, args?: object): Promise<any>;
}

/** Connects the reference client. */
export async function openAgent(
  kind: keyof typeof transports,
  url: string,
  key: string,
  mode: (typeof revisions)[number] = "legacy",
): Promise<Agent> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transports[kind](url, key));
  return {
    client,
    async call(name, args = {}) {
      const { content, isError } = await client.callTool({ name, arguments: { ...args } });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      if (isError) throw new Error(text);
      return JSON.parse(text) as never;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
