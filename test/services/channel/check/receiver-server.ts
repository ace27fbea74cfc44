import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Receiver } from "./receiver.ts";

/** Serves a receiver until the test ends; resolves with its URL. */
export async function openReceiverServer(
  receiver: Receiver,
  tls?: { readonly cert: string; readonly key: string },
): Promise<string> {
  const serve: RequestListener = async (request, response) => {
    try {
      const body = await buffer(request);
      const { status, text, headers } = await receiver({ headers: request.headers, body });
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
    } catch {
      // The sender went away within its body.
      response.destroy();
    }
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
