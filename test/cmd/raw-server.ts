import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface RawServer {
  readonly url: string;
  /** All that came, a character for each byte. */
  received(): string;
}

/** A server that answers by hand, once what came of a request `takes`. */
export async function openRawServer(
  takes: (received: string) => boolean,
  respond: (socket: Socket) => void,
): Promise<RawServer> {
  let received = "";
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isAnswered = false;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (isAnswered || !takes(received)) return;
      isAnswered = true;
      respond(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?a=b`, received: () => received };
}
