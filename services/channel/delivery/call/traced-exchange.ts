import { attribute, ownAttribute } from "../../../../base/trace/attributes.ts";
import { httpPlaceOf } from "../../../../base/trace/http-span.ts";
import {
  type Span,
  startTrace,
  type Trace,
  type Tracer,
  traceHeaders,
} from "../../../../base/trace/trace.ts";
import type { LeasedBatch } from "../../../../store/channels/channels.ts";
import type { Exchange, ExchangeOutcome, ExchangeRequest } from "../../exchange/exchange.ts";

export interface PushTrace {
  readonly tracer: Tracer | undefined;
  /** The trace of the run. */
  readonly trace: Trace | undefined;
  readonly url: string;
}

/** Returns an exchange whose request has a span in the trace of its run, and passes it on to the receiver. */
export function tracedExchange(
  exchange: Exchange,
  { tracer, trace, url }: PushTrace,
  { runId, number, size }: Pick<LeasedBatch, "runId" | "number" | "size">,
): Exchange {
  if (trace === undefined) return exchange;
  return async (request) => {
    const span = startTrace(tracer, trace, "POST", () => {
      const { method, address, port } = httpPlaceOf("POST", url);
      return {
        kind: "client",
        attributes: {
          [attribute.httpMethod]: method,
          [attribute.serverAddress]: address,
          [attribute.serverPort]: port,
          [attribute.messageCount]: size,
          [ownAttribute.run]: runId,
          [ownAttribute.batch]: number,
        },
      };
    });
    const headers = hasTrace(request.headers)
      ? request.headers
      : { ...traceHeaders(span ?? trace), ...request.headers };
    const outcome = await exchange({ ...request, headers });
    if (span !== undefined) endSpan(span, outcome);
    return outcome;
  };
}

/** Whether the channel itself sets a header of a trace. Names have any case, and receivers discard two values. */
function hasTrace(headers: ExchangeRequest["headers"]): boolean {
  return Object.keys(headers).some((name) => /^trace(?:parent|state)$/i.test(name));
}

function endSpan(span: Span, outcome: ExchangeOutcome): void {
  if (outcome.kind !== "response") {
    span.end({ type: outcome.kind, message: outcome.message });
    return;
  }
  const { status } = outcome;
  span.set({ [attribute.httpStatus]: status });
  span.end(status >= 400 ? { type: String(status) } : undefined);
}
