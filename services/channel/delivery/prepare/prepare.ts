import { maxViolations, refuseViolations } from "../../../../base/rpc/invalid-fields.ts";
import type {
  AudienceCounts,
  BatchesToAppend,
  ChannelStore,
  Preparation,
} from "../../../../store/channels/channels.ts";
import type { KeySet } from "../../audience/key-set.ts";
import { audienceMembers, isFixed, type MembersRequest } from "../../audience/members.ts";
import { type AudiencePage, readTaken, sortAudience } from "../../audience/pages.ts";
import type { AudienceSource } from "../../audience/source.ts";
import { compileVariants, type Variants } from "../../audience/variants.ts";
import { deliveryDefaults } from "../../channels/settings.ts";
import { checkContent } from "../../content/check-content.ts";
import type { PushOrigin } from "../../content/receipts.ts";
import { checkTaskContents } from "../../tasks/check-task.ts";
import { decodeRunChannel, decodeTask } from "../../tasks/codec.ts";
import { type BatchPlan, type BatchWriter, createBatchWriter } from "./batch.ts";

export interface PrepareOptions {
  readonly store: ChannelStore;
  readonly audience: AudienceSource;
  readonly newRequestId: () => string;
}

type Held = Pick<Preparation, "token" | "run">;

/** The parameters of a run's batches. */
interface RunPlan extends BatchPlan {
  readonly request: MembersRequest;
  readonly pageRecipients: (page: number) => number;
}

/** Recipients of the first page, and so of its commit, for which senders wait: 165 KB of payloads, 10 ms. */
const maxPageRecipients = 5_000;
/** Later pages are longer by this factor, because a commit for each few takes an eighth of preparing. */
const laterPages = 4;
/** Characters of the messages of one page: pages of long messages have fewer recipients. */
const maxPageLength = 8_388_608;
/** Batches of the first page: senders wait for its commit, and small batches cost more than their recipients. */
const maxPageBatches = 200;

/** The lease of the preparation is lost, or the run was cancelled. */
export class PreparationLostError extends Error {
  override readonly name = "PreparationLostError";
}

/**
 * Prepares the batches of a run from its cursor on, while complete batches are already sent. The keys of the recipients
 * are stored with the batches of each page: a resumed preparation reads the audience again and skips recipients that
 * have a batch. So each user gets one message, even if users changed in between. Lists of push ids in the task itself
 * need no keys: their pages are always the same, and the cursor is the number of stored pages.
 *
 * @throws PreparationLostError, InvalidFieldsError if the audience or the contents are not valid
 */
export async function prepareRun(held: Held, options: PrepareOptions, signal: AbortSignal): Promise<void> {
  const { store } = options;
  const plan = await planRun(held, options, signal);
  const writer = createBatchWriter(plan);
  const storesResumeData = !isFixed(plan.request);
  const first = Number(held.run.cursor ?? 0);
  const count = storesResumeData ? await countFrom(held, store, signal) : compileCounts(nothing);
  let afterNumber = held.run.batches;
  let page = first;
  let storing: Promise<void> | undefined;
  for await (const one of pagesOf(held, plan, writer, options, signal)) {
    await storing;
    const batches = writer.take(one.isLast);
    const resumeData = storesResumeData ? { page, data: one.keys } : null;
    page++;
    const counted = count(one);
    const append = { afterNumber, batches, cursor: String(page), isLast: one.isLast, counted, resumeData };
    // The next page is prepared while this one is stored.
    storing = storePage(held.token, append, store, signal);
    storing.catch(() => {});
    afterNumber += batches.length;
  }
  await storing;
}

async function storePage(
  token: string,
  append: BatchesToAppend,
  store: ChannelStore,
  signal: AbortSignal,
): Promise<void> {
  const { kind } = await store.appendBatches(token, append, { signal });
  if (kind === "stale") throw new PreparationLostError("another process prepares the run");
}

async function planRun(
  { run }: Held,
  { store, newRequestId }: PrepareOptions,
  signal: AbortSignal,
): Promise<RunPlan> {
  const stored = await store.task(run.taskId, { signal });
  if (stored === null) throw new PreparationLostError(`task ${run.taskId} does not exist`);
  const [channel, task] = [decodeRunChannel(run), decodeTask(stored)];
  // The channel may have been changed after the task was created, but not after the run began.
  const unfit = run.cursor === null ? checkTaskContents(task, channel, checkContent) : [];
  refuseViolations(unfit.slice(0, maxViolations));
  const projectId = Number(channel.projectId);
  const variants = compileVariants(channel, task);
  const { pushIdProperty } = channel;
  const { journey } = task;
  const size = channel.delivery?.batchSize ?? deliveryDefaults.batchSize;
  const request = { projectId, audience: task.audience, pushIdProperty, properties: variants.properties };
  const origin: PushOrigin =
    journey === undefined
      ? { kind: "task", taskId: run.taskId, taskInstanceId: run.runId, execDetailId: String(run.seq) }
      : { ...journey, kind: "journey" };
  return {
    projectId,
    origin,
    variants,
    newRequestId,
    size,
    request,
    pageRecipients: isFixed(request)
      ? () => size * pageBatches(size, 0, 1)
      : compilePageRecipients(size, longestOf(variants)),
  };
}

/** @param length characters of a message */
function compilePageRecipients(size: number, length: number): (page: number) => number {
  const [first, later] = [1, laterPages].map((factor) => size * pageBatches(size, length, factor));
  return (page) => (page === 0 ? first! : later!);
}

/**
 * Returns the number of batches of a page.
 * @param length characters of a message; 0 for lists in the task: their pages must not depend on the version that
 *   prepares them, since the cursor counts pages
 * @param factor how much longer than the first one the page may be
 */
function pageBatches(size: number, length: number, factor: number): number {
  const most = Math.min(factor * maxPageRecipients, maxPageLength / length);
  return Math.max(1, Math.min(factor * maxPageBatches, Math.floor(most / size)));
}

/** Returns the length of the longest message, without values of users, in characters. */
function longestOf({ all }: Variants): number {
  const lengths = all.map(({ element }) => {
    const nothing = element.properties.map(() => "");
    return element.write("", nothing, "").length;
  });
  return Math.max(...lengths);
}

/** Yields the pages from the cursor on, after writing the recipients of each. */
async function* pagesOf(
  { run }: Held,
  { request, variants, pageRecipients }: RunPlan,
  writer: BatchWriter,
  { store, audience }: PrepareOptions,
  signal: AbortSignal,
): AsyncGenerator<AudiencePage> {
  const members = audienceMembers(audience, request, signal);
  const first = Number(run.cursor ?? 0);
  if (!isFixed(request)) {
    const taken = first === 0 ? undefined : await readTakenOf(run.runId, first, store, signal);
    yield* sortAudience(members, {
      variants,
      take: writer.add,
      pageRecipients,
      ...(taken !== undefined && { taken }),
    });
    return;
  }
  let page = 0;
  const take: BatchWriter["add"] = (...recipient) => {
    if (page >= first) writer.add(...recipient);
  };
  for await (const one of sortAudience(members, { variants, take, pageRecipients })) {
    if (page++ >= first) yield one;
  }
}

async function readTakenOf(
  runId: string,
  pages: number,
  store: ChannelStore,
  signal: AbortSignal,
): Promise<KeySet> {
  const found: Uint8Array[] = [];
  for (let page = 0; page < pages; page++) {
    const data = await store.audience(runId, page, { signal });
    if (data === null) throw new PreparationLostError(`page ${page} of the audience does not exist`);
    found.push(data);
  }
  return readTaken(found);
}

type LeftOut = Pick<AudienceCounts, "filtered" | "control">;

const nothing: LeftOut = { filtered: 0, control: 0 };

/** Creates the counter of pages. A resumed preparation counts all again and subtracts the stored counts. */
async function countFrom(
  { run }: Held,
  store: ChannelStore,
  signal: AbortSignal,
): Promise<(page: AudiencePage) => AudienceCounts> {
  if (run.cursor === null) return compileCounts(nothing);
  return compileCounts((await store.statistics(run.runId, { signal })) ?? nothing);
}

/** Compiles the function that returns what a page adds to the sums, which may decrease only with the last page. */
function compileCounts(stored: LeftOut): (page: AudiencePage) => AudienceCounts {
  let reported = stored;
  let found = nothing;
  return ({ filtered, control, recipients, isLast }) => {
    found = { filtered: found.filtered + filtered, control: found.control + control };
    const sums = isLast
      ? found
      : {
          filtered: Math.max(reported.filtered, found.filtered),
          control: Math.max(reported.control, found.control),
        };
    const added = { filtered: sums.filtered - reported.filtered, control: sums.control - reported.control };
    reported = sums;
    return { ...added, planned: recipients + added.filtered + added.control };
  };
}
