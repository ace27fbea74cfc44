import { attribute, messagingSystem, ownAttribute } from "../../../base/trace/attributes.ts";
import { type Span, startTrace, type Tracer, traceIdOf } from "../../../base/trace/trace.ts";
import type { HandedBatch, Target } from "../targets/target.ts";
import { type AttemptOptions, type AttemptResult, attemptCall } from "./attempt.ts";
import type { CallTerms } from "./call-limiter.ts";
import type { CallReport } from "./observer.ts";

export interface TracedTarget {
  readonly name: string;
  readonly target: Target;
  readonly tracer?: Tracer | undefined;
}

/**
 * Calls a target once, in a span that continues the trace of the batch. The target gets the batch with the trace that
 * its own calls continue. A span before it shows how long the messages waited for their first attempt.
 */
export async function tracedAttempt(
  { name, target, tracer }: TracedTarget,
  batch: HandedBatch,
  options: AttemptOptions & Pick<CallTerms, "priority">,
): Promise<AttemptResult> {
  // Whether messages are traced was decided when they came.
  if (tracer === undefined || batch.trace === undefined) {
    return withTraceId(await attemptCall(target, batch, options), batch);
  }
  const isFirst = batch.attempt === 1 && batch.replay === null;
  if (isFirst && options.priority === "normal") noteWait(tracer, name, batch);
  const span = startTrace(tracer, batch.trace, `process ${name}`, () => ({
    kind: "consumer",
    attributes: {
      ...attributesOf(name, batch),
      [attribute.messagingOperation]: "process",
      [attribute.messagingOperationType]: "process",
      [ownAttribute.attempt]: batch.attempt,
    },
  }));
  if (span === undefined) return withTraceId(await attemptCall(target, batch, options), batch);
  const handed = { ...batch, trace: span };
  const result = await attemptCall(target, handed, options);
  endSpan(span, result.report);
  return withTraceId(result, handed);
}

function noteWait(tracer: Tracer, name: string, batch: HandedBatch): void {
  const attributes = attributesOf(name, batch);
  startTrace(tracer, batch.trace, `queue ${name}`, () => ({
    attributes,
    startMs: batch.acceptedAtMs,
  }))?.end();
}

function attributesOf(name: string, { channel, batchId, elements }: HandedBatch) {
  return {
    [attribute.messagingSystem]: messagingSystem,
    [attribute.messagingDestination]: channel,
    [attribute.messagingConsumerGroup]: name,
    [attribute.messageId]: batchId,
    [attribute.messageCount]: elements.length,
  };
}

/**
 * The reason stays in the log, where the trace's id is beside it: it may quote the body of a response or an address.
 */
function endSpan(span: Span, { done, retry, dead }: CallReport): void {
  span.set({ [ownAttribute.done]: done, [ownAttribute.retry]: retry, [ownAttribute.dead]: dead });
  if (retry + dead === 0) span.end();
  else span.end({ type: dead > 0 ? "dead" : "retry" });
}

function withTraceId(result: AttemptResult, { trace }: HandedBatch): AttemptResult {
  if (trace === undefined) return result;
  return { ...result, report: { ...result.report, traceId: traceIdOf(trace) } };
}
