import { ConnectError } from "@connectrpc/connect";
import { codeName } from "../rpc/code-names.ts";
import { attribute } from "./attributes.ts";
import { type Trace, traceHeaders } from "./trace.ts";

/** What spans of outgoing gRPC calls show. */
export interface RpcPlace {
  /** `package.Service/Method` */
  readonly method: string;
  readonly address: string;
  readonly port: number;
}

/** Makes a gRPC call in a span below `trace`, with the headers that pass the trace on. */
export async function inRpcSpan<R>(
  trace: Trace | undefined,
  { method, address, port }: RpcPlace,
  call: (headers: Readonly<Record<string, string>>) => Promise<R>,
): Promise<R> {
  const span = trace?.startSpan?.(method, {
    kind: "client",
    attributes: {
      [attribute.rpcSystem]: "grpc",
      [attribute.rpcMethod]: method,
      [attribute.serverAddress]: address,
      [attribute.serverPort]: port,
    },
  });
  if (span === undefined) return await call(traceHeaders(trace));
  try {
    const response = await call(traceHeaders(span));
    span.set({ [attribute.rpcStatus]: "OK" });
    span.end();
    return response;
  } catch (error) {
    const status = codeName(ConnectError.from(error).code);
    span.set({ [attribute.rpcStatus]: status });
    span.end({ type: status });
    throw error;
  }
}
