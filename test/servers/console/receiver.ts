import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a receiver got. */
export interface ReceivedCall {
  readonly signature: unknown;
  readonly body: string;
}

/** A receiver of pushes on this machine. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** What it returns. */
  reply: string;
}

export const accepted = '{"return_code":0}';

/** The lines of a configuration that allow pushes to this machine. */
export const allowLoopback = "channel: { outbound: { allow: [127.0.0.0/8] } }\n";

export async function openReceiver(): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const receiver = { calls, reply: accepted };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const signature = request.headers["x-svc-ops-signature"];
      calls.push({ signature, body: Buffer.concat(chunks).toString() });
      response.writeHead(200, { "content-type": "application/json" }).end(receiver.reply);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/push`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}
