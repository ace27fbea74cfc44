import { Code } from "@connectrpc/connect";
import { codeName } from "../base/rpc/code-names.ts";
import { attribute, ownAttribute } from "../base/trace/attributes.ts";
import type { SpanFailure, Tracer } from "../base/trace/trace.ts";
import { createByMethod } from "./call/by-method.ts";
import type { CallObserver, CallRecord, ProtocolName } from "./call/record.ts";

/** Names by which the conventions know the protocols; REST has none. Tools of agents are called by JSON-RPC. */
const systems: Readonly<Record<ProtocolName, string>> = {
  grpc: "grpc",
  "grpc-web": "grpc",
  connect: "connectrpc",
  rest: "rest",
  mcp: "jsonrpc",
};

/** Codes with which the span of a server has failed; others are faults of the caller. */
const failures: ReadonlySet<Code | undefined> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/**
 * Creates an observer that records the span of each sampled call, which handlers find as `CallRecord.trace`. A call
 * that is not sampled costs one decision.
 */
export function createCallTraces(tracer: Tracer): CallObserver {
  const methods = createByMethod((method, protocol) => ({ method, system: systems[protocol] }));
  return {
    started(record) {
      if (!tracer.isSampled(record.traceparent)) return;
      const { method, system } = methods.of(record);
      record.span = tracer.startSpan(method, {
        kind: "server",
        parent: record.trace,
        attributes: {
          [attribute.rpcSystem]: system,
          [attribute.rpcMethod]: method,
          [attribute.clientAddress]: record.peer.address,
          [ownAttribute.protocol]: record.protocol,
          [ownAttribute.requestId]: record.requestId,
        },
      });
    },
    finished(record) {
      const { span } = record;
      if (span === undefined) return;
      span.set({
        [attribute.rpcStatus]: codeName(record.code),
        [ownAttribute.caller]: record.caller.kind === "anonymous" ? undefined : record.caller.name,
      });
      span.end(failureOf(record));
    },
  };
}

function failureOf({ code }: CallRecord): SpanFailure | undefined {
  return failures.has(code) ? { type: codeName(code) } : undefined;
}
