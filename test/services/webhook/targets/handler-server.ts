import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { MessageHandler } from "../../../../gen/engage/handler/v1/message_handler_pb.ts";
import type { MessageBatch } from "../../../../gen/engage/webhook/v1/batch_pb.ts";

export type Handle = ServiceImpl<typeof MessageHandler>["handle"];

/** An h2c server that implements MessageHandler. */
export interface HandlerServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly batches: MessageBatch[];
  readonly headers: Headers[];
  /** Connections that were ever opened. */
  connections(): number;
  handle: Handle;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export const allDone: Handle = ({ batch }) => ({
  results: batch!.messages.map(({ index }) => ({ index, outcome: { case: "done", value: {} } })),
});

export async function openHandlerServer(): Promise<HandlerServer> {
  const sessions = new Set<http2.ServerHttp2Session>();
  let connections = 0;
  let current = http2.createServer();
  const batches: MessageBatch[] = [];
  const headers: Headers[] = [];
  const listen = async (port: number): Promise<void> => {
    const handle: Handle = (request, context: HandlerContext) => {
      batches.push(request.batch!);
      headers.push(context.requestHeader);
      return self.handle(request, context);
    };
    current = http2.createServer(
      connectNodeAdapter({ routes: (router) => router.service(MessageHandler, { handle }) }),
    );
    current.on("session", (session) => {
      connections++;
      sessions.add(session);
      session.on("close", () => sessions.delete(session));
    });
    current.listen(port, "127.0.0.1");
    await once(current, "listening");
  };
  await listen(0);
  const { port } = current.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const isClosed = once(current, "close");
    current.close();
    for (const session of sessions) session.destroy();
    await isClosed;
  };
  const self: HandlerServer = {
    port,
    url: `http://127.0.0.1:${port}`,
    batches,
    headers,
    stop,
    connections: () => connections,
    handle: allDone,
    start: () => listen(port),
    [Symbol.asyncDispose]: async () => {
      if (current.listening) await stop();
    },
  };
  return self;
}
