import { createServer, type Server, type ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import { concealFaults } from "../../../gateway/call/failures.ts";
import type { CallRecord } from "../../../gateway/call/record.ts";
import type { GatewayContext } from "../../../gateway/gateway-context.ts";
import type { NodeRequest, NodeResponse } from "../../../gateway/http/http.ts";
import { Http1Request } from "../../../gateway/http/http1/http1-request.ts";
import { OpenBytes } from "../../../gateway/http/open-bytes.ts";
import { defaultLimits, type GatewayLimits } from "../../../gateway/limits.ts";
import { type ServedService, serve } from "../../../gateway/methods.ts";
import { OpenStreams } from "../../../gateway/open-streams.ts";
import { createRestRouter } from "../../../gateway/rest/rest.ts";
import { Failing, Library } from "../testproto/gen/engage/test/v1/library_pb.ts";
import { createFailing, createLibrary, returnCodes, type Seen } from "../testproto/library.ts";

export interface RestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly seen: Seen;
  readonly chunksMade: { count: number };
  readonly started: readonly CallRecord[];
  readonly faults: readonly unknown[];
  /** The record of the next call that finishes. */
  nextFinished(): Promise<CallRecord>;
  readonly finished: readonly CallRecord[];
  readonly shutdown: AbortController;
}

export interface RestServerOptions {
  readonly codecs?: RestCodecs;
  readonly limits?: Partial<GatewayLimits>;
  readonly core?: Partial<GatewayContext>;
  readonly services?: readonly ServedService[];
  readonly http2?: boolean;
}

/** Serves the router only; unknown paths get a plain 404. */
export async function openRestServer(options: RestServerOptions = {}): Promise<RestServer> {
  const seen: Seen = { contexts: [] };
  const chunksMade = { count: 0 };
  const started: CallRecord[] = [];
  const finished: CallRecord[] = [];
  const waiting: ((record: CallRecord) => void)[] = [];
  const faults: unknown[] = [];
  const shutdown = new AbortController();
  const reportFault = (error: unknown): void => {
    faults.push(error);
  };
  const core: GatewayContext = {
    services: options.services ?? [
      serve(Library, createLibrary(seen, chunksMade)),
      serve(Failing, createFailing(), { returnCodes }),
    ],
    interceptors: [concealFaults(reportFault)],
    limits: { ...defaultLimits, ...options.limits },
    unknownMembers: "refuse",
    authorize: () => {},
    openBytes: new OpenBytes(defaultLimits),
    streams: new OpenStreams(),
    observer: {
      started: (record) => started.push(record),
      finished: (record) => {
        finished.push(record);
        waiting.shift()?.(record);
      },
    },
    reportFault,
    shutdownSignal: shutdown.signal,
    ...options.core,
  };
  const router = createRestRouter(core, options.codecs === undefined ? {} : { codecs: options.codecs });
  const onRequest = (request: NodeRequest, response: NodeResponse): void => {
    const isServed = router.handle(request, response);
    for (const _ of isServed ? [] : [0]) (response as ServerResponse).writeHead(404).end();
  };
  const server = options.http2
    ? createHttp2Server(onRequest)
    : createServer({ IncomingMessage: Http1Request }, onRequest);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => (server as Server).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    chunksMade,
    started,
    finished,
    faults,
    shutdown,
    nextFinished: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
