import { describe, expect, it, test } from "vitest";
import { openWebhookServer } from "../../cmd/webhook-server.ts";
import { openForAll } from "../../open-for-all.ts";
import { sendHttp1, sendHttp2 } from "../raw.ts";
import { keys, openAgentServer } from "./agent-server.ts";

const opened = openForAll(openAgentServer);

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});

function post(body: string, headers: Readonly<Record<string, string>> = {}) {
  const { port } = opened().address;
  return sendHttp1(
    port,
    "POST /mcp",
    {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      authorization: `Bearer ${keys.agent}`,
      ...headers,
    },
    body,
  );
}

describe("a request to /mcp", () => {
  it("with a key is served", async () => {
    const { status, headers, body } = await post(initialize);
    expect([status, String(body)]).toEqual([200, expect.stringContaining('"serverInfo":{"name":"engage"')]);
    expect([headers.connection, headers["cache-control"]]).toEqual(["close", "no-store"]);
  });

  it("over HTTP/2 is served too", async () => {
    const { status, body } = await sendHttp2(
      opened().url,
      {
        ":path": "/mcp",
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        authorization: `Bearer ${keys.agent}`,
      },
      Buffer.from(initialize),
    );
    expect([status, String(body)]).toEqual([200, expect.stringContaining('"serverInfo":{"name":"engage"')]);
  });

  it.each([
    ["no key", { authorization: "" }],
    ["an unknown key", { authorization: "Bearer nope" }],
  ])("with %s is refused before its body is read", async (_what, headers) => {
    const refused = await post("", { ...headers, "content-length": "100000" });
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  });

  it.each([
    ["the host of another site", { host: "evil.example" }, 421],
    ["the origin of another site", { origin: "https://evil.example" }, 403],
    ["the origin null", { origin: "null" }, 403],
    ["the mark of another site", { "sec-fetch-site": "cross-site" }, 403],
  ])("from %s is refused, also with a key", async (_what, headers, status) => {
    expect((await post(initialize, headers as Record<string, string>)).status).toBe(status);
  });

  it.each([
    ["no JSON", "{", 400],
    ["JSON that is too deep", "[".repeat(5_000), 400],
    ["a batch of messages", `[${initialize}]`, 400],
    ["no message", "{}", 400],
  ])("with %s is refused", async (_what, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  it("that is too long is refused", async () => {
    const { status, body } = await post(JSON.stringify({ text: "x".repeat(300_000) }));
    expect([status, String(body)]).toEqual([
      413,
      expect.stringContaining("larger than the limit of 262144 bytes"),
    ]);
  });

  it.each(["GET", "DELETE"])("by %s, which is for sessions, is refused", async (method) => {
    const headers = { authorization: `Bearer ${keys.agent}`, accept: "text/event-stream" };
    expect((await sendHttp1(opened().address.port, `${method} /mcp`, headers)).status).toBe(405);
  });
});

test("a server without the tools has no /mcp", async () => {
  const server = await openWebhookServer({}, { settings: { mcp: { enabled: false } } });
  const { status } = await server.rest("/mcp", {});
  expect(status).toBe(404);
});
