import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sendTcp, untilClosed } from "../../e2e/raw.ts";
import { grownBy, openServerProcess } from "../../e2e/server-process.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import {
  dial,
  emptySettings,
  getHealth,
  grpc,
  healthy,
  hello,
  isServing,
  path,
  preface,
  untilMatch,
} from "./dial.ts";

describe("limits of connections and streams", () => {
  test("connections beyond the limit are refused, and there is room again afterwards", async () => {
    const never = new Promise<never>(() => undefined);
    const server = await openGatewayForTest({
      limits: { maxConnections: 2 },
      library: { echo: () => never },
    });
    const [first, second] = [dial(server), dial(server)];
    for (const socket of [first, second]) {
      socket.write(getHealth);
      await untilMatch(socket, healthy);
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      );
    }
    await vi.waitFor(() => expect(server.started.length).toBe(2));
    const third = dial(server);
    third.write(getHealth);
    expect((await untilClosed(third)).toString()).toBe("");
    first.destroy();
    await vi.waitFor(async () =>
      expect(
        (
          await sendTcp(server.port, getHealth.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"))
        ).toString(),
      ).toMatch(healthy),
    );
  });

  test("streams beyond the limit wait for their turn, and all are served", async () => {
    let open = 0;
    let most = 0;
    const server = await openGatewayForTest({
      limits: { maxConcurrentStreams: 5 },
      library: {
        async echo(request) {
          most = Math.max(most, ++open);
          await turn();
          open--;
          return request;
        },
      },
    });
    const session = connectHttp2(server.url);
    onTestFinished(() => void session.destroy());
    await once(session, "remoteSettings");
    const statuses = Array.from({ length: 100 }, async () => {
      const stream = session.request(grpc);
      stream.end(hello);
      stream.resume();
      const [trailers] = await once(stream, "trailers");
      return trailers["grpc-status"];
    });
    expect(new Set(await Promise.all(statuses))).toEqual(new Set(["0"]));
    expect(most).toBeLessThanOrEqual(5);
  });

  const resetCodes = [
    ["CANCEL", constants.NGHTTP2_CANCEL],
    ["INTERNAL_ERROR", constants.NGHTTP2_INTERNAL_ERROR],
  ] as const;

  test.each(resetCodes)("a flood of streams that are reset at once with %s", async (_name, code) => {
    const server = await openGatewayForTest();
    await floodResets(server.port, code);
    await server.settled(0);
    await isServing(server);
    expect(server.faults).toEqual([]);
  });

  test.each(resetCodes)("the memory of a server that is flooded by resets with %s", async (_name, code) => {
    const script = join(import.meta.dirname, "../../e2e/gateway-process.ts");
    await using server = await openServerProcess(script, {});
    const grown = await grownBy(server.pid, () => floodResets(Number(new URL(server.url).port), code));
    expect(grown).toBeLessThan(100);
  });
});

/** Opens streams and resets them at once, until the server closes the connection or 10,000 are reset. */
async function floodResets(port: number, code: number): Promise<void> {
  const socket = dial({ port });
  const closed = untilClosed(socket);
  socket.write(Buffer.concat([Buffer.from(preface), emptySettings]));
  for (let i = 0; i < 10_000 && !socket.destroyed; i += 100) {
    socket.write(Buffer.concat(Array.from({ length: 100 }, (_, j) => resetStream(2 * (i + j) + 1, code))));
    await turn();
  }
  socket.end();
  await closed;
}

/** The head of a gRPC call on this stream, and its reset. */
function resetStream(id: number, code: number): Buffer {
  const literal = (name: string, value: string): Buffer =>
    Buffer.concat([
      Buffer.from([0x00, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]);
  // Indexed fields of the static table: POST and http.
  const head = Buffer.concat([
    Buffer.from([0x83, 0x86]),
    literal(":path", path),
    literal(":authority", "a"),
    literal("content-type", "application/grpc"),
  ]);
  const frame = (type: number, flags: number, payload: Buffer): Buffer => {
    const header = Buffer.alloc(9);
    header.writeUIntBE(payload.length, 0, 3);
    header[3] = type;
    header[4] = flags;
    header.writeUInt32BE(id, 5);
    return Buffer.concat([header, payload]);
  };
  return Buffer.concat([frame(1, 4, head), frame(3, 0, Buffer.from([0, 0, 0, code]))]);
}
