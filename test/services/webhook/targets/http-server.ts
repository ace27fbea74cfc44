import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface HttpCall {
  readonly headers: http.IncomingHttpHeaders;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly body: string;
}

/** An HTTP server that notes its calls. */
export interface TestHttpServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly calls: HttpCall[];
  /** Connections that were ever opened. */
  connections(): number;
  answer: (response: http.ServerResponse, call: HttpCall) => void;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function openHttpServer(): Promise<TestHttpServer> {
  let connections = 0;
  let current = http.createServer();
  const calls: HttpCall[] = [];
  const listen = async (port: number): Promise<void> => {
    current = http.createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { headers, method, url } = request;
      const call = { headers, method, url, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      self.answer(response, call);
    });
    current.on("connection", () => connections++);
    current.listen(port, "127.0.0.1");
    await once(current, "listening");
  };
  await listen(0);
  const { port } = current.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const isClosed = once(current, "close");
    current.close();
    current.closeAllConnections();
    await isClosed;
  };
  const self: TestHttpServer = {
    port,
    url: `http://127.0.0.1:${port}/messages?x=1`,
    calls,
    stop,
    connections: () => connections,
    answer: (response) => response.end("ok"),
    start: () => listen(port),
    [Symbol.asyncDispose]: async () => {
      if (current.listening) await stop();
    },
  };
  return self;
}
