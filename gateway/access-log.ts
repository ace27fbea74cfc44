import { Code } from "@connectrpc/connect";
import type { Logger } from "pino";
import { codeName } from "../base/rpc/code-names.ts";
import { traceIdOf } from "../base/trace/trace.ts";
import { createByMethod } from "./call/by-method.ts";
import type { CallObserver, CallRecord } from "./call/record.ts";

/** Codes that mean a fault of the server. */
const serverFaults: ReadonlySet<Code | undefined> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

type WriteLine = (line: AccessLine) => void;

/**
 * Writes one line for each call, `warn` for faults of the server and `info` for
 * others. It has the fields of `CallRecord`, and so no message, header or query
 * string, which may hold secrets.
 *
 * The fields that many calls share are serialised once, in a child logger for
 * each method, protocol and code; that halves the cost of a line.
 */
export function createAccessLog(logger: Logger): CallObserver {
  const writers = createByMethod((method, protocol) => ({ method, protocol, byCode: [] as WriteLine[] }));
  const writerFor = (record: CallRecord): WriteLine => {
    const { method, protocol, byCode } = writers.of(record);
    const number = record.code ?? 0;
    byCode[number] ??= createWriter(
      logger.child({ method, protocol, code: codeName(record.code) }),
      serverFaults.has(record.code) ? "warn" : "info",
    );
    return byCode[number];
  };
  return {
    started: () => undefined,
    finished: (record) => writerFor(record)(new AccessLine(record)),
  };
}

function createWriter(logger: Logger, level: "warn" | "info"): WriteLine {
  return (line) => logger[level](line, "call");
}

/**
 * The fields that differ from call to call; undefined ones are not written. The id of the trace has the name that tools
 * look for: https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/
 */
class AccessLine {
  readonly ms: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly requestId: string;
  readonly peer: string;
  readonly caller: string | undefined;
  readonly traceparent: string | undefined;
  readonly trace_id: string | undefined;

  constructor(record: CallRecord) {
    this.ms = Math.round((performance.now() - record.startedMs) * 100) / 100;
    this.bytesIn = record.bytesIn;
    this.bytesOut = record.bytesOut;
    this.requestId = record.requestId;
    this.peer = record.peer.address;
    this.caller = record.caller.kind === "anonymous" ? undefined : record.caller.name;
    this.traceparent = record.traceparent;
    this.trace_id = record.span === undefined ? undefined : traceIdOf(record.span);
  }
}
