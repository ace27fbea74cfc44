import { once } from "node:events";
import { get, type RequestOptions } from "node:http";
import { get as getTls } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { createConnectAgent } from "../../../../store/events/clickhouse/connect-agent.ts";

const options = { maxSockets: 4, connectMs: 50 };

it("gives up a server whose address is never found", async () => {
  const agent = createConnectAgent("http://clickhouse:8123", options);
  const lookup: RequestOptions["lookup"] = () => {};
  const request = get({ agent, lookup, host: "clickhouse", port: 8_123 });
  await expect(once(request, "response")).rejects.toThrow("not connected within 50 ms");
  agent.destroy();
});

it("gives up a server that does not begin TLS", async () => {
  await using server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = createConnectAgent("https://127.0.0.1", options);
  const request = getTls({ agent, host: "127.0.0.1", port });
  await expect(once(request, "response")).rejects.toThrow("not connected within 50 ms");
  agent.destroy();
});

it("leaves a connection alone that is established", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await using server = createServer((socket) => {
    socket.resume().end("HTTP/1.1 204 No Content\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const agent = createConnectAgent("http://127.0.0.1", options);
  const request = get({ agent, host: "127.0.0.1", port });
  expect(vi.getTimerCount()).toBe(1);
  const [response] = (await once(request, "response")) as [{ readonly statusCode: number }];
  expect(response.statusCode).toBe(204);
  expect(vi.getTimerCount()).toBe(0);
  agent.destroy();
});
