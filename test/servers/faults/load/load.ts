import { expect, vi } from "vitest";
import { endedPush, expectOnce, startPush } from "../../channel/push.ts";
import { answerAfter, openReceiver, type Receiver } from "../../channel/receiver.ts";
import { totalOf } from "../../events/reports.ts";
import { storedTotals } from "../../events/service.ts";
import { seeded } from "../../webhook/batches.ts";
import { settledBooks } from "../../webhook/books.ts";
import type { Cluster } from "../cluster.ts";
import { type QueriesLoad, sendQueries } from "./queries.ts";
import { type ReportsLoad, sendReports } from "./reports.ts";
import { type Watermarks, watchWatermarks } from "./watermarks.ts";
import { sendWebhooks, type WebhooksLoad } from "./webhooks.ts";

/** Webhooks, events, queries and a push, all at the same time, with events of one project. */
export interface Load extends AsyncDisposable {
  readonly project: number;
  readonly reports: ReportsLoad;
  readonly webhooks: WebhooksLoad;
  readonly queries: QueriesLoad;
  readonly watermarks: Watermarks;
  /** Resolves when more has been taken and loaded than at the time of the call. */
  progress(): Promise<void>;
  /** Ends the load, and checks that everything which was acknowledged counts once. */
  expectSound(): Promise<void>;
}

export interface LoadOptions {
  readonly project: number;
  readonly recipients: number;
  readonly seed: number;
}

const batchSize = 20;
const receiverMs = 150;
const patient = { timeout: 90_000, interval: 50 };

export async function startLoad(cluster: Cluster, options: LoadOptions): Promise<Load> {
  const { project, recipients, seed } = options;
  const random = seeded(seed);
  const receiver = await openReceiver();
  receiver.answer = answerAfter(receiverMs);
  const delivery = { batchSize, timeoutSeconds: 60 };
  const taskId = await startPush(cluster.replicas[0], { receiver, recipients, delivery });
  const stop = new AbortController();
  const { signal } = stop;
  const reports = sendReports(cluster, project, random, signal);
  const webhooks = sendWebhooks(cluster, `load-${project}`, random, signal);
  const queries = sendQueries(cluster, project, () => reports.sentEvents, signal);
  const watermarks = watchWatermarks(cluster, project, signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await Promise.all([reports, webhooks, queries, watermarks].map(({ ended }) => ended));
  };
  const load: Load = {
    project,
    reports,
    webhooks,
    queries,
    watermarks,
    async progress() {
      const [taken, moves] = [reports.taken.length, watermarks.moves];
      const hasMoved = () => reports.taken.length > taken && watermarks.moves > moves;
      await vi.waitUntil(hasMoved, patient);
    },
    async expectSound() {
      await end();
      await expectStored(cluster, load);
      await expectDelivered(cluster, load);
      await expectPushed(cluster, { receiver, recipients, taskId });
      expect([...queries.faults, ...watermarks.faults]).toEqual([]);
      expect(queries.codes.get(0)).toBeGreaterThan(0);
    },
    async [Symbol.asyncDispose]() {
      await end();
      await receiver[Symbol.asyncDispose]();
    },
  };
  return load;
}

/** Events and users of reports count once, and no two users have one number. */
async function expectStored({ replicas, postgres }: Cluster, { project, reports }: Load): Promise<void> {
  const expected = totalOf(reports.taken);
  for (const replica of replicas) expect(await storedTotals(replica, project)).toEqual(expected);
  const [accounts, numbers, users] = postgres
    .query(
      `SELECT count(*), count(DISTINCT user_id), max(p.users) FROM engage.intake_accounts a
       JOIN engage.intake_projects p ON p.project = a.project WHERE a.project = ${project}`,
    )
    .split("|")
    .map(Number);
  expect(accounts).toBeGreaterThan(0);
  expect([numbers, users]).toEqual([accounts, accounts]);
}

async function expectDelivered(cluster: Cluster, { webhooks }: Load): Promise<void> {
  const { arrivals, sentPushIds, replicas } = cluster;
  expect(webhooks.replied).toBeGreaterThan(0);
  expect(await webhooks.findOtherReplies()).toEqual([]);
  const { size } = sentPushIds;
  expect(await settledBooks(replicas[0])).toEqual({ accepted: size, delivered: size, dead: 0, pending: 0 });
  expect([...sentPushIds].filter((pushId) => !arrivals.has(pushId))).toEqual([]);
  expect(arrivals.size).toBe(size);
}

interface Pushed {
  readonly receiver: Receiver;
  readonly recipients: number;
  readonly taskId: string;
}

async function expectPushed({ replicas }: Cluster, { receiver, recipients, taskId }: Pushed): Promise<void> {
  const { counts, failed } = await endedPush(replicas[1], taskId);
  expectOnce(receiver, recipients);
  expect(counts).toMatchObject({ sent: recipients, succeeded: recipients });
  expect(failed).toEqual({});
}
