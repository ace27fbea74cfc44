import { exactCountOf } from "../../../../base/text/count.ts";
import { expectAccepted, formatMs } from "../judge.ts";
import { encodeMessages, goodMessages, type Message } from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { Exchanged, Session } from "../session.ts";

/** The most elements of one call. */
const maxElements = 500;
/** About 11,000 bytes for each of 100 elements, so that the body exceeds the default limit of many servers, 1 MiB. */
const longText = { params: { title: "engage check", content: "0123456789 ".repeat(1_000) } };

function accepts(what: string, count: number, more: Message = {}): (session: Session) => Promise<Finding> {
  return async (session) => {
    const body = encodeMessages(goodMessages(session, count, more));
    const exchanged = await session.send(body, {
      what: `${what} (${exactCountOf(body.length, "byte")})`,
      size: count,
    });
    const finding = expectAccepted(exchanged);
    const isLost = finding.kind === "failed" && exchanged.outcome.kind === "connection";
    return isLost
      ? failed(exchanged, `${finding.detail}, perhaps because of a limit on the body's size`)
      : finding;
  };
}

/** What is kept of many calls: a response may be long. */
interface LoadSeen {
  calls: number;
  faults: number;
  firstFault?: { readonly exchanged: Exchanged; readonly detail: string };
  slowest?: Exchanged;
}

function note(seen: LoadSeen, exchanged: Exchanged): void {
  seen.calls++;
  if (seen.slowest === undefined || exchanged.ms > seen.slowest.ms) seen.slowest = exchanged;
  const finding = expectAccepted(exchanged);
  if (finding.kind !== "failed") return;
  seen.faults++;
  seen.firstFault ??= finding;
}

/** Keeps `concurrency` calls in flight until all requests are sent or the time is over. */
async function sustains(session: Session): Promise<Finding> {
  const { perSecond, requests, maxMs, concurrency } = session.options.throughput;
  const { monotonicMs, signal } = session.options;
  const startedMs = monotonicMs();
  const seen: LoadSeen = { calls: 0, faults: 0 };
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < requests && monotonicMs() - startedMs < maxMs && !signal.aborted) {
      begun++;
      const body = encodeMessages(goodMessages(session, 1));
      note(seen, await session.send(body, { what: `one of ${requests} batches in a row`, size: 1 }));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  signal.throwIfAborted();
  const seconds = Math.max(1, monotonicMs() - startedMs) / 1_000;
  const { calls, faults, firstFault, slowest } = seen;
  if (firstFault !== undefined) {
    const { exchanged, detail } = firstFault;
    return failed(exchanged, `${faults} of ${exactCountOf(calls, "call")} failed: ${detail}`);
  }
  const rate = Math.round(calls / seconds);
  const detail = `${rate} requests a second, ${concurrency} at a time; the slowest took ${formatMs(slowest!.ms)}`;
  return rate >= perSecond
    ? passed(detail)
    : failed(slowest!, `${detail}; the recommendation is ${perSecond}`);
}

/** Probes that send large batches and many requests. */
export const loadProbes: readonly Probe[] = [
  {
    id: "batch-500",
    title: "accepts 500 elements",
    severity: "must",
    rule: "One call has 1 to 500 elements, depending on the channel's send batch size; the default is 100.",
    change: "Accept arrays of 500 elements, or set the channel's batch size to your limit.",
    after: ["accept"],
    run: accepts(`a batch of ${maxElements} messages`, maxElements),
  },
  {
    id: "body-1-mb",
    title: "accepts a body of more than 1 MiB",
    severity: "must",
    rule: "The size of a body is not limited; 100 elements with long strings exceed 1 MiB.",
    change:
      "Raise the body limit of server and proxy, for example to 16 MiB; common defaults are 100 KB and 1 MB.",
    after: ["accept"],
    run: accepts("a batch of 100 messages with long strings", 100, longText),
  },
  {
    id: "throughput",
    title: "sustains the recommended load",
    severity: "should",
    rule: "The receiver should support more than 100 transactions a second.",
    change:
      "Queue the work durably and respond at once, pool the connections to other systems, or limit the channel's send rate.",
    after: ["accept"],
    run: sustains,
  },
];
