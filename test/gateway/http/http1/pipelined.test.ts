import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { untilClosed } from "../../../e2e/raw.ts";
import { openGatewayForTest, type TestGateway } from "../../gateway-server.ts";
import { dial, getHealth, healthy, path, untilMatch } from "../dial.ts";

describe("pipelined requests", () => {
  const echo = (i: number): string => {
    const body = `{"text":"${i}"}`;
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json`;
    return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const echoes = (count: number): string => Array.from({ length: count }, (_, i) => echo(i)).join("");

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
});

async function isServingHealth(server: TestGateway): Promise<void> {
  const socket = dial(server);
  socket.write(getHealth);
  await untilMatch(socket, healthy);
}
