import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { targetSchema } from "../../../../services/webhook/targets/config.ts";
import type { TargetOutcome } from "../../../../services/webhook/targets/target.ts";
import { createTarget, type PushConfig } from "../../../../services/webhook/targets/targets.ts";
import { handedBatch, messageJson } from "../handed.ts";
import { type HandlerServer, openHandlerServer } from "./handler-server.ts";
import { openHttpServer, type TestHttpServer } from "./http-server.ts";

let folder: string;
let http: TestHttpServer;
let handler: HandlerServer;
beforeEach(async () => {
  [folder, http, handler] = await Promise.all([
    mkdtemp(join(tmpdir(), "engage-target-")),
    openHttpServer(),
    openHandlerServer(),
  ]);
});
afterEach(async () => {
  await Promise.all([
    rm(folder, { recursive: true }),
    http[Symbol.asyncDispose](),
    handler[Symbol.asyncDispose](),
  ]);
});

const logged: unknown[] = [];

async function deliver(config: object, message = messageJson("a")): Promise<readonly TargetOutcome[]> {
  await using target = createTarget(targetSchema.parse(config) as PushConfig, {
    outbound: createOutbound({ allow: ["127.0.0.0/8"] }),
    log: (entry) => logged.push(entry),
    readFile: (path) => `PEM of ${path}`,
    now: Date.now,
  });
  return await target.deliver(handedBatch([message]), new AbortController().signal);
}

const body = { to: "{push_id}", receipt: "{#ops_receipt_properties}" };
const written = '{"to":"a","receipt":{"ops_project_id":1}}';

it("makes http targets that write their template", async () => {
  expect(await deliver({ kind: "http", url: http.url, body })).toEqual([{ kind: "done" }]);
  expect(http.calls).toMatchObject([{ body: written }]);
});

it("makes grpc targets", async () => {
  expect(await deliver({ kind: "grpc", url: handler.url, bearer: "k" })).toEqual([{ kind: "done" }]);
  expect(handler.headers[0]?.get("authorization")).toBe("Bearer k");
});

it("makes file targets", async () => {
  const path = join(folder, "out.ndjson");
  expect(await deliver({ kind: "file", path, body })).toEqual([{ kind: "done" }]);
  expect(await readFile(path, "utf8")).toBe(`${written}\n`);
});

it("makes log targets", async () => {
  expect(await deliver({ kind: "log", body })).toEqual([{ kind: "done" }]);
  expect(logged).toEqual([{ target: "crm", deliveryId: "b1.0.crm", pushId: "a", message: written }]);
});

it.each<[string, object]>([
  [
    "smtp",
    { host: "127.0.0.1", port: 1, from: "n@example.com", to: "a@example.com", subject: "s", text: "t" },
  ],
  ["nats", { servers: ["nats://127.0.0.1:1"], subject: "s" }],
  ["redis", { host: "127.0.0.1", port: 1, stream: "s" }],
])("makes %s targets", async (kind, config) => {
  const outcome = deliver({ kind, ...config }).catch((error: unknown) => [String(error)]);
  expect(JSON.stringify(await outcome)).toMatch(/refused|ECONNREFUSED/i);
});

it.each<[string, object]>([
  ["smtp", { host: "10.0.0.1", from: "n@example.com", to: "a@example.com", subject: "s", text: "t" }],
  ["nats", { servers: ["nats://10.0.0.1:1"], subject: "s" }],
  ["redis", { host: "10.0.0.1", stream: "s" }],
  ["grpc", { url: "http://10.0.0.1:9000" }],
  ["http", { url: "http://10.0.0.1:9000" }],
])("%s targets dial no private address", async (kind, config) => {
  const outcome = deliver({ kind, ...config }).catch((error: unknown) => [String(error)]);
  expect(JSON.stringify(await outcome)).toContain("is not public");
});

it("escapes what the messages bring into HTML", async () => {
  const { SMTPServer } = await import("smtp-server");
  const mails: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS", "AUTH"],
    async onData(stream, _session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      mails.push(Buffer.concat(chunks).toString());
      callback();
    },
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, "127.0.0.1", () => resolve((server.server.address() as { port: number }).port));
  const config = {
    kind: "smtp",
    host: "127.0.0.1",
    port: await promise,
    security: "none",
    from: "n@example.com",
    to: "ann@example.com",
    subject: "s",
    html: "<b>{params.title}</b>",
  };
  const message = messageJson("a", "{}", JSON.stringify({ title: "<script>&'\"" }));
  expect(await deliver(config, message)).toEqual([{ kind: "done" }]);
  expect(mails[0]).toContain("<b>&lt;script&gt;&amp;&#39;&quot;</b>");
  server.close();
});
