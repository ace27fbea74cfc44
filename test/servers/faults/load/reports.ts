import { setTimeout as sleep } from "node:timers/promises";
import { ingestPath, type Report, reportOf } from "../../events/reports.ts";
import { appidOf, type Cluster } from "../cluster.ts";
import { attempt } from "./attempt.ts";

/** Reports which senders repeat until a replica takes them. */
export interface ReportsLoad {
  readonly taken: readonly Report[];
  /** The number of events which were sent, taken or not. */
  readonly sentEvents: number;
  readonly ended: Promise<void>;
}

const senders = 3;
const pauseMs = 30;
/** This part of the taken reports is sent once more, as by a sender which has missed the response. */
const repeatedPart = 0.1;
const users = 400;

export function sendReports(
  { replicas }: Pick<Cluster, "replicas">,
  project: number,
  random: () => number,
  stop: AbortSignal,
): ReportsLoad {
  const taken: Report[] = [];
  let batches = 0;
  let sentEvents = 0;
  async function sendUntilTaken(report: Report): Promise<void> {
    const headers = { ...report.headers, appid: appidOf(project) };
    const body = new Uint8Array(report.body);
    for (let at = random() < 0.5 ? 0 : 1; ; at++) {
      const answer = await attempt(replicas[at % 2]!, ingestPath, { body, headers });
      if (answer?.status === 200 && answer.text === '{"code":0}') return;
      await sleep(pauseMs);
    }
  }
  async function send(): Promise<void> {
    while (!stop.aborted) {
      const report = reportOf(batches++, { users });
      sentEvents += report.events;
      // What has begun is sent until it is taken.
      await sendUntilTaken(report);
      taken.push(report);
      if (random() < repeatedPart) await sendUntilTaken(report);
      await sleep(pauseMs);
    }
  }
  const ended = Promise.all(Array.from({ length: senders }, send)).then(() => {});
  return {
    taken,
    get sentEvents() {
      return sentEvents;
    },
    ended,
  };
}
