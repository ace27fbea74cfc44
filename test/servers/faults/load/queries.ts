import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Envelope } from "../../events/service.ts";
import type { Engage } from "../../webhook/engage.ts";
import type { Cluster } from "../cluster.ts";
import { attemptMs } from "./attempt.ts";

/** Queries which count the events of a project at both replicas. */
export interface QueriesLoad {
  /** What no query may return. */
  readonly faults: readonly string[];
  /** The numbers of queries by their return code; 0 is success. */
  readonly codes: ReadonlyMap<number, number>;
  readonly ended: Promise<void>;
}

const pauseMs = 60;
/** The return codes while a store is unavailable or busy, with and without a time to try again. */
const unavailableCodes: readonly number[] = [-1005, -1006];

export async function countEvents(replica: Engage, projectId: number): Promise<Envelope> {
  const events = [{ type: "normal", eventName: "play", analysis: "TOTAL_TIMES" }];
  // A replica may be stopped.
  return await ask(replica, "event-analyze", { projectId, events }, AbortSignal.timeout(attemptMs));
}

/** Returns the number in a successful response. */
export function countIn({ data }: Envelope): number {
  return Number(data.y[0]?.["play.TOTAL_TIMES"]?.[0]?.values[0] ?? 0);
}

/** @param sentEvents the number of events which were sent until now */
export function sendQueries(
  { replicas }: Pick<Cluster, "replicas">,
  projectId: number,
  sentEvents: () => number,
  stop: AbortSignal,
): QueriesLoad {
  const faults: string[] = [];
  const codes = new Map<number, number>();
  /** The most that a completed query has counted. */
  let seen = 0;
  async function query(replica: Engage, at: number): Promise<void> {
    while (!stop.aborted) {
      const least = seen;
      const answer = await countEvents(replica, projectId).catch(() => undefined);
      if (answer !== undefined) check(answer, least, at);
      await sleep(pauseMs);
    }
  }
  function check(answer: Envelope, least: number, at: number): void {
    const { return_code: code, return_message: message } = answer;
    codes.set(code, (codes.get(code) ?? 0) + 1);
    if (unavailableCodes.includes(code)) return;
    if (code !== 0) {
      faults.push(`replica ${at + 1}: code ${code}, ${message}`);
      return;
    }
    const count = countIn(answer);
    if (count < least) faults.push(`replica ${at + 1} counts ${count} events after ${least}`);
    if (count > sentEvents()) faults.push(`replica ${at + 1} counts ${count} of ${sentEvents()} events`);
    seen = Math.max(seen, count);
  }
  const ended = Promise.all(replicas.map(query)).then(() => {});
  return { faults, codes, ended };
}
