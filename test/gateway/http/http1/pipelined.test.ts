import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { endPipelined, startPipelined, waitForEarlier } from "../../../../gateway/http/http1/pipelined.ts";
import { OpenBytes } from "../../../../gateway/http/open-bytes.ts";
import { defaultLimits } from "../../../../gateway/limits.ts";
import { untilClosed } from "../../../e2e/raw.ts";
import { openGatewayForTest, type TestGateway } from "../../gateway-server.ts";
import { dial, getHealth, healthy, path, untilMatch } from "../dial.ts";

describe("pipelined requests", () => {
  const echo = (i: number, header = ""): string => {
    const body = `{"text":"${i}"}`;
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json${header}`;
    return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const echoes = (count: number, header?: string): string =>
    Array.from({ length: count }, (_, i) => echo(i, header)).join("");

  test("are answered in order, some at a time", async () => {
    let running = 0;
    let most = 0;
    const library = {
      async echo(request: { readonly text: string }) {
        most = Math.max(most, ++running);
        await turn();
        running--;
        return { text: request.text };
      },
    };
    const socket = dial(await openGatewayForTest({ library }));
    socket.write(echoes(500));
    const seen = await untilMatch(socket, /"text":"499"/);
    expect(Array.from(seen.matchAll(/"text":"(\d+)"/g), ([, text]) => Number(text))).toEqual(
      Array.from({ length: 500 }, (_, i) => i),
    );
    expect(most).toBe(16);
  });

  test("are not taken without end", async () => {
    let begun = 0;
    const library = {
      echo() {
        begun++;
        return new Promise<never>(() => undefined);
      },
    };
    const server = await openGatewayForTest({ library });
    const socket = dial(server);
    socket.write(echoes(5_000));
    await untilClosed(socket);
    expect(begun).toBe(16);
    await isServingHealth(server);
  });

  /** Each such request that is pipelined takes 8.4 KB. */
  const header = `\r\nx: ${"a".repeat(5_000)}`;
  const limits = { maxMessageBytes: 1_000, methods: {}, openBytesPerConnection: 200_000 };
  const few = { ...limits, openBytesPerAddress: 400_000 };

  test.each([
    ["a connection", 1, 28, limits],
    ["a connection, of those that have begun", 1, 16, { ...limits, openBytesPerConnection: 100_000 }],
    ["an address", 3, 22, few],
    ["the server", 3, 22, { ...few, openBytes: 400_000, trustedProxies: ["127.0.0.1"] }],
  ])("are not taken beyond the memory of %s", async (_what, connections, requests, limits) => {
    const library = { echo: () => new Promise<never>(() => undefined) };
    const server = await openGatewayForTest({ library, limits });
    const sockets = Array.from({ length: connections }, () => dial(server));
    for (const socket of sockets) socket.write(echoes(requests, header));
    await Promise.race(sockets.map(untilClosed));
    await isServingHealth(server);
  });

  test("are counted until their responses or their connection are closed", async () => {
    const openBytes = new OpenBytes(defaultLimits);
    const responses: ServerResponse[] = [];
    const begun: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      responses.push(response);
      startPipelined(response, openBytes);
      waitForEarlier(response, () => begun.push(request.url));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const socket = dial(server.address() as AddressInfo);
    const post = (url: string): string =>
      `POST ${url} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`;
    socket.write(post("/1") + post("/2") + post("/3"));
    const head = 3_000 + 4 * 40 + "/1hostlocalhostcontent-length2".length;
    await vi.waitFor(() => expect(openBytes.bytes).toBe(3 * (head + 2)));
    endPipelined(responses[0]!);
    endPipelined(responses[1]!);
    expect([begun, openBytes.bytes]).toEqual([["/1", "/2"], head + 2]);
    socket.destroy();
    await vi.waitFor(() => expect(openBytes.bytes).toBe(0));
    endPipelined(responses[2]!);
    expect(begun).toHaveLength(2);
  });
});

async function isServingHealth(server: TestGateway): Promise<void> {
  const socket = dial(server);
  socket.write(getHealth);
  await untilMatch(socket, healthy);
}
