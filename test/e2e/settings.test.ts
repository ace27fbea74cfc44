import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toJson } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../base/text/digest.ts";
import { loadConfig } from "../../cmd/config/config.ts";
import { withTokenStore } from "../../cmd/serve/analysis/tokens.ts";
import { startServer } from "../../cmd/serve/server.ts";
import {
  GetConfigurationResponseSchema,
  GetHealthResponseSchema,
  GetVersionResponseSchema,
  ListKeysResponseSchema,
  ListTokensResponseSchema,
  Settings,
} from "../../gen/engage/operations/v1/settings_pb.ts";
import { folderWith } from "../cmd/config/load.ts";
import { marker, settingsWithSecrets } from "../cmd/config/secret-places.ts";
import { openForAll } from "../open-for-all.ts";

const key = `${marker}-key`;
const token = `${marker}-token`;
const headers = { authorization: `Bearer ${key}` };

const server = openForAll(async (onEnd) => {
  const cwd = folderWith({}, onEnd);
  const { inbox: _inbox, ...webhook } = JSON.parse(settingsWithSecrets(40)).webhook;
  const further = {
    listen: "127.0.0.1:0",
    data: join(cwd, "data"),
    log: { level: "silent" },
    auth: {
      keys: [
        { name: "shipper", sha256: sha256Hex(`${marker}-other`), methods: ["proto.Parser/*"] },
        { name: "operator", sha256: sha256Hex(key), access: "read" },
      ],
    },
    webhook,
    stores: {},
    channel: {},
  };
  writeFileSync(join(cwd, "engage.yaml"), settingsWithSecrets(40, further));
  const { config, locate, describe } = loadConfig({ env: {}, cwd });
  const made = { name: "made", projects: [1], sha256: sha256Hex(token), created: "2026-01-02T03:04:05.000Z" };
  await withTokenStore(config, (tokens) => tokens.add(made));
  const running = await startServer(config, { locate, describe });
  onEnd(() => running.stop());
  return running.address.url;
});

/** Calls all methods; returns their responses as JSON. */
async function callAll(transport: Transport): Promise<Readonly<Record<string, unknown>>> {
  const client = createClient(Settings, transport);
  const options = { headers };
  return {
    configuration: toJson(GetConfigurationResponseSchema, await client.getConfiguration({}, options)),
    keys: toJson(ListKeysResponseSchema, await client.listKeys({}, options)),
    tokens: toJson(ListTokensResponseSchema, await client.listTokens({}, options)),
    health: toJson(GetHealthResponseSchema, await client.getHealth({}, options)),
    version: toJson(GetVersionResponseSchema, await client.getVersion({}, options)),
  };
}

async function callRest(): Promise<Readonly<Record<string, unknown>>> {
  const names = ["configuration", "keys", "tokens", "health", "version"];
  const responses = names.map(async (name) => {
    const response = await fetch(`${server()}/v1/settings/${name}`, { headers });
    return [name, await response.json()];
  });
  return Object.fromEntries(await Promise.all(responses));
}

const kinds: readonly (readonly [string, () => Promise<Readonly<Record<string, unknown>>>])[] = [
  ["gRPC", () => callAll(createGrpcTransport({ baseUrl: server() }))],
  ["gRPC-Web", () => callAll(createGrpcWebTransport({ baseUrl: server(), httpVersion: "1.1" }))],
  ["Connect", () => callAll(createConnectTransport({ baseUrl: server(), httpVersion: "1.1" }))],
  [
    "Connect by GET",
    () => callAll(createConnectTransport({ baseUrl: server(), httpVersion: "1.1", useHttpGet: true })),
  ],
  ["REST", callRest],
];

describe.each(kinds)("over %s", (_name, call) => {
  it("the settings are shown, and no secret", async () => {
    const all = await call();
    const text = JSON.stringify(all);
    expect(text).not.toContain(marker);
    expect(text).not.toContain(Buffer.from(marker).toString("base64"));
    expect(text).not.toContain(Buffer.from(marker).toString("hex"));
    for (const secret of [key, token, `${marker}-other`])
      expect(text).not.toContain(sha256Hex(secret).slice(0, 8));
    expect(all).toMatchObject({
      configuration: {
        file: expect.stringMatching(/engage\.yaml$/),
        fileNamedBy: "SOURCE_KIND_DEFAULT",
        settings: expect.arrayContaining([
          expect.objectContaining({
            path: "log.level",
            json: '"silent"',
            source: expect.objectContaining({ kind: "SOURCE_KIND_FILE", line: 1 }),
          }),
          expect.objectContaining({ path: "webhook.channels.a.secrets[0].value", hidden: true }),
          expect.objectContaining({
            path: "webhook.targets.http.url",
            json: '"https://host.example:99/…"',
            shortened: true,
          }),
        ]),
      },
      keys: {
        required: true,
        keys: [
          { name: "operator", methods: ["*"], readOnly: true },
          { name: "shipper", methods: ["proto.Parser/*"] },
        ],
      },
      tokens: {
        tokens: [
          { name: "made", projectIds: ["1"], createdTime: expect.stringMatching(/^20/) },
          { name: "one", allProjects: true, isConfigured: true },
          { name: "two", projectIds: ["1"], isConfigured: true },
        ],
      },
      health: { parts: expect.arrayContaining([expect.objectContaining({ name: "inbox" })]) },
      version: { version: expect.stringMatching(/^\d/), nodeVersion: process.version },
    });
  });
});

it("the health is that of /readyz", async () => {
  const { checks } = (await (await fetch(`${server()}/readyz`)).json()) as { checks: object };
  const { health } = await callRest();
  const { ready, parts } = health as { ready: boolean; parts: { name: string; state: string }[] };
  expect(parts.map(({ name }) => name)).toEqual(Object.keys(checks));
  expect(parts.map(({ state }) => state)).toEqual(parts.map(() => "HEALTH_STATE_OK"));
  expect(ready).toBe(true);
});

it.each([
  ["no key", {}, 401],
  ["a key for other methods", { authorization: `Bearer ${marker}-other` }, 403],
])("a caller with %s is refused", async (_name, given, status) => {
  const response = await fetch(`${server()}/v1/settings/configuration`, { headers: given });
  expect(response.status).toBe(status);
});
