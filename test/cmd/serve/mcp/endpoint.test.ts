import { EventEmitter } from "node:events";
import type { Client } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { createEndpoint } from "../../../../cmd/serve/mcp/endpoint.ts";
import type { NodeRequest } from "../../../../gateway/http/http.ts";
import type { AgentTools } from "../../../../gen/engage/agent/v1/agent_tools_pb.ts";

const endpoint = createEndpoint({
  requireKey: undefined,
  readBody: async () => ({ jsonrpc: "2.0", id: 1, method: "ping" }),
  toolsOf: () => ({}) as Client<typeof AgentTools>,
});

/** A connection that has been closed by the time it is watched. */
class ClosedConnection extends EventEmitter {
  override once(_name: string, listener: () => void): this {
    listener();
    return this;
  }
}

/** A request that cannot be passed on, since a header has a letter that none can have. */
function faultyRequest(socket: EventEmitter): NodeRequest {
  return { method: "POST", headers: { "mcp-name": "ł" }, socket } as unknown as NodeRequest;
}

it("a fault is passed on to the page, which reports it", async () => {
  await expect(endpoint.respond(faultyRequest(new EventEmitter()))).rejects.toThrow(TypeError);
});

it("a fault after the caller has left is none", async () => {
  const page = await endpoint.respond(faultyRequest(new ClosedConnection()));
  expect([page.status, page.body]).toEqual([
    499,
    expect.stringContaining("the caller closed the connection"),
  ]);
});
