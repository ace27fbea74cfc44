import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Forwards connections to a server, and cuts those over which a reply is to be lost. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Cuts a connection when the server has answered the next request in which a text occurs. */
  cutReplyTo(text: string): void;
}

export async function openCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const target = new URL(serverUrl);
  let marked: string | undefined;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    let isCut = false;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        server.destroy();
      });
    }
    client.on("data", (bytes) => {
      if (marked !== undefined && bytes.includes(marked)) {
        marked = undefined;
        isCut = true;
      }
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (isCut) client.destroy();
      else client.write(bytes);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = new URL(serverUrl);
  url.port = `${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    cutReplyTo(text) {
      marked = text;
    },
    async [Symbol.asyncDispose]() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
