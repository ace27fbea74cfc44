import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { StdioTransport } from "../../../cmd/mcp/stdio-transport.ts";

const request = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
const response = { jsonrpc: "2.0", id: 1, result: {} } as const;
const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } as const;
const line = (message: object): string => `${JSON.stringify(message)}\n`;

/** Starts a transport whose input ends after these messages. */
async function startTransport(messages: readonly object[], maxWaitMs: number) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const transport = new StdioTransport({ stdin, stdout, maxWaitMs });
  await transport.start();
  const ended = once(stdin, "end");
  stdin.end(messages.map(line).join(""));
  await ended;
  return { transport, stdout };
}

test("a response is sent after the end of the input", async () => {
  const { transport, stdout } = await startTransport([request], 600_000);
  await transport.send(response);
  await transport.closed;
  expect(await text(stdout.end())).toBe(line(response));
});

test("the wait for a response has a limit", async () => {
  const { transport } = await startTransport([request], 1);
  await transport.closed;
  await expect(transport.send(response)).rejects.toThrow("closed");
});

test.each([
  ["no request", []],
  ["a cancelled request", [request, cancelled]],
])("with %s there is no wait", async (_name, messages) => {
  const { transport } = await startTransport(messages, 600_000);
  await transport.closed;
});
