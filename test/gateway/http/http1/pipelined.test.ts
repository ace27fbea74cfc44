import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { beginNext, waitForEarlier } from "../../../../gateway/http/http1/pipelined.ts";
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

  /** Such a request takes 18.4 KB while it waits. */
  const header = `\r\nx: ${"a".repeat(15_000)}`;
  const limits = { maxMessageBytes: 1_000, methods: {}, openBytesPerConnection: 200_000 };

  test.each([
    ["a connection", 1, 12, limits],
    ["an address", 3, 8, { ...limits, openBytesPerAddress: 400_000 }],
    [
      "the server",
      3,
      8,
      { ...limits, openBytesPerAddress: 400_000, openBytes: 400_000, trustedProxies: ["127.0.0.1"] },
    ],
  ])("are not taken beyond the memory of %s", async (_what, connections, waiting, limits) => {
    const library = { echo: () => new Promise<never>(() => undefined) };
    const server = await openGatewayForTest({ library, limits });
    const sockets = Array.from({ length: connections }, () => dial(server));
    for (const socket of sockets) socket.write(echoes(16 + waiting, header));
    await Promise.race(sockets.map(untilClosed));
    await isServingHealth(server);
  });

  test("are counted until they begin, or their connection closes", async () => {
    const openBytes = new OpenBytes(defaultLimits);
    const begun: (string | undefined)[] = [];
    const server = createServer((request) =>
      waitForEarlier(request, openBytes, () => begun.push(request.url)),
    );
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const accepted = once(server, "connection");
    const socket = dial(server.address() as AddressInfo);
    socket.write(["/1", "/2", "/3"].map((url) => `GET ${url} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(""));
    const [pipe] = (await accepted) as [Socket];
    const each = 3_000 + 2 * 40 + "/1hostlocalhost".length;
    await vi.waitFor(() => expect(openBytes.bytes).toBe(3 * each));
    beginNext(pipe);
    beginNext(pipe);
    expect([begun, openBytes.bytes]).toEqual([["/1", "/2"], each]);
    socket.destroy();
    await vi.waitFor(() => expect(openBytes.bytes).toBe(0));
    beginNext(pipe);
    expect(begun).toHaveLength(2);
  });
});

async function isServingHealth(server: TestGateway): Promise<void> {
  const socket = dial(server);
  socket.write(getHealth);
  await untilMatch(socket, healthy);
}
