import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import {
  type CheckReceiverRequest,
  type CheckReceiverResponseSchema,
  ProbeOutcome,
  type ProbeResultSchema,
  type ProbeSchema,
  ProbeSeverity,
  type ReceiverChecker,
} from "../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import type { OpenExchange } from "../exchange/exchange.ts";
import type { SenderPorts } from "../ports.ts";
import { toConnectError } from "../refusals.ts";
import { checkReceiver, isBroken, type ProbeResult, probeInfos, sumResults } from "./check.ts";
import { type CheckSettings, readCheckRequest } from "./check-request.ts";
import { createRunSlots } from "./run-slots.ts";

export interface CheckerOptions {
  /** Opens a client of a URL that keeps to the rules for outbound addresses at each connection. */
  readonly openExchange: (url: string, maxConnections: number) => OpenExchange;
  readonly refusedAddress: SenderPorts["refusedAddress"];
  /** The name of an authenticated caller; undefined: callers are not authenticated. */
  readonly callerOf: (context: Pick<HandlerContext, "values">) => string | undefined;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Returns a signal that is aborted after this many milliseconds. */
  readonly after: (ms: number) => AbortSignal;
  readonly monotonicMs: () => number;
  readonly randomId: () => string;
}

type Step = MessageInitShape<typeof CheckReceiverResponseSchema>;

/** Runs on one server at a time. Each may have 32 requests under way. */
const maxRuns = 3;
/** A run on a receiver that responds to everything within its timeout, but slowly, ends here. */
const maxRunMs = 120_000;
/** How long the probe of slow bodies takes to send one. */
const slowBodyMs = 2_000;
/** Requests of the load probe that are under way at a time. */
const concurrency = 32;

/** Creates the service ReceiverChecker. */
export function createReceiverChecker(options: CheckerOptions): ServiceImpl<typeof ReceiverChecker> {
  const slots = createRunSlots(maxRuns);
  return {
    async *checkReceiver(request, context) {
      try {
        const settings = readCheckRequest(request);
        const giveBack = slots.take(options.callerOf(context) ?? "");
        const ends = { caller: context.signal, stop: options.stopping, time: options.after(maxRunMs) };
        yield* startRun(request, settings, ends, options, giveBack);
      } catch (error) {
        throw toConnectError(error);
      }
    },
  };
}

/** What ends a run before its last probe. */
interface RunEnds {
  readonly caller: AbortSignal;
  readonly stop: AbortSignal;
  readonly time: AbortSignal;
}

/** Starts a run, which does not wait for its reader: a slow one occupies no slot. There are few steps. */
function startRun(
  request: CheckReceiverRequest,
  settings: CheckSettings,
  { caller, stop, time }: RunEnds,
  options: CheckerOptions,
  giveBack: () => void,
): ReadableStream<Step> {
  const left = new AbortController();
  const signal = AbortSignal.any([caller, stop, time, left.signal]);
  return new ReadableStream<Step>({
    start(controller) {
      const push = (step: Step): void => {
        if (!left.signal.aborted) controller.enqueue(step);
      };
      const close = (): void => {
        if (!left.signal.aborted) controller.close();
      };
      void runInto(push)
        .then(close, (error: unknown) => controller.error(error))
        .finally(giveBack);
    },
    cancel: () => left.abort(),
  });

  async function runInto(push: (step: Step) => void): Promise<void> {
    try {
      await run(request, settings, signal, options, push);
    } catch (error) {
      caller.throwIfAborted();
      if (stop.aborted) throw new ConnectError("the server is stopping, call again", Code.Unavailable);
      if (!time.aborted) throw error;
      const message = `the run takes more than ${maxRunMs / 1_000} s, skip probes or set a shorter timeout`;
      throw new ConnectError(message, Code.DeadlineExceeded);
    }
  }
}

async function run(
  { url }: CheckReceiverRequest,
  { timeoutMs, perSecond, ...settings }: CheckSettings,
  signal: AbortSignal,
  { openExchange, refusedAddress, monotonicMs, randomId }: CheckerOptions,
  push: (step: Step) => void,
): Promise<void> {
  const refusal = await refusedAddress(url, signal);
  signal.throwIfAborted();
  if (refusal !== undefined) refuseField("url", `is refused: ${refusal}`);
  using open = openExchange(url, concurrency);
  push({ step: { case: "plan", value: { probes: probeInfos.map(toProbe) } } });
  const startedMs = monotonicMs();
  const results = await checkReceiver(
    {
      ...settings,
      exchange: open.exchange,
      timeoutMs,
      slowBodyMs,
      throughput: { perSecond, requests: 3 * perSecond, maxMs: 6_000, concurrency },
      monotonicMs,
      randomId,
      signal,
    },
    (result) => push({ step: { case: "result", value: toResult(result) } }),
  );
  const value = {
    correct: !results.some((result) => isBroken(result, false)),
    ...sumResults(results),
    duration: toDuration(monotonicMs() - startedMs),
  };
  push({ step: { case: "summary", value } });
}

const severities = {
  must: ProbeSeverity.MUST,
  should: ProbeSeverity.SHOULD,
  info: ProbeSeverity.INFO,
} as const;

const outcomes = {
  passed: ProbeOutcome.PASSED,
  failed: ProbeOutcome.FAILED,
  skipped: ProbeOutcome.SKIPPED,
} as const;

function toProbe({
  id,
  title,
  severity,
}: Pick<ProbeResult, "id" | "title" | "severity">): MessageInitShape<typeof ProbeSchema> {
  return { probeId: id, title, severity: severities[severity] };
}

function toResult(result: ProbeResult): MessageInitShape<typeof ProbeResultSchema> {
  const { outcome, detail, durationMs, failure } = result;
  return {
    probe: toProbe(result),
    outcome: outcomes[outcome],
    detail: detail.toWellFormed(),
    duration: toDuration(durationMs),
    ...(failure && {
      failure: {
        request: failure.sent.toWellFormed(),
        response: failure.answered.toWellFormed(),
        rule: failure.rule,
        change: failure.change,
      },
    }),
  };
}

function toDuration(ms: number) {
  return durationFromMs(Math.round(ms));
}
