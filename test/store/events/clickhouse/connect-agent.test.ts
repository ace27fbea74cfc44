import { once } from "node:events";
import { get, type RequestOptions } from "node:http";
import { get as getTls } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createConnectAgent, isLostOnKept } from "../../../../store/events/clickhouse/connect-agent.ts";

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

describe("a request", () => {
  /** Sends a request over a new connection, and another one, whose error is returned, over the kept one. */
  async function failOnKept(fail: (client: Socket, server: Socket) => void): Promise<unknown> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      socket.once("data", () => socket.write("HTTP/1.1 204 No Content\r\n\r\n"));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const agent = createConnectAgent("http://127.0.0.1", { ...options, keepAlive: true, connectMs: 10_000 });
    onTestFinished(() => {
      agent.destroy();
      server.close();
    });
    const first = get({ agent, host: "127.0.0.1", port });
    first.once("response", (response) => response.resume());
    const [client] = (await once(first, "socket")) as [Socket];
    await once(client, "free");
    const second = get({ agent, host: "127.0.0.1", port });
    const failed = once(second, "error");
    fail(client, sockets[0]!);
    const [error] = await failed;
    expect(second.reusedSocket).toBe(true);
    return error;
  }

  it.each([
    ["ECONNRESET", true],
    ["EPIPE", true],
    ["ETIMEDOUT", false],
  ])("that fails on a kept connection with %s is lost: %s", async (code, isLost) => {
    const error = await failOnKept((client) => client.destroy(Object.assign(new Error("fault"), { code })));
    expect(isLostOnKept(error)).toBe(isLost);
  });

  it("is not lost when its response has begun", async () => {
    const error = await failOnKept((_client, server) => {
      server.once("data", () => {
        server.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[1]", () => server.resetAndDestroy());
      });
    });
    expect(error).toMatchObject({ code: "ECONNRESET" });
    expect(isLostOnKept(error)).toBe(false);
  });

  it("is not lost when its connection is closed long after it was sent", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["performance"] });
    const error = await failOnKept((_client, server) => {
      server.once("data", () => {
        vi.advanceTimersByTime(3_001);
        server.resetAndDestroy();
      });
    });
    expect(error).toMatchObject({ code: "ECONNRESET" });
    expect(isLostOnKept(error)).toBe(false);
  });
});
