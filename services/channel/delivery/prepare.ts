import type { ChannelStore, Preparation } from "../../../store/channels/channels.ts";
import { audienceMembers, isFixed, type MembersRequest } from "../audience/members.ts";
import { type AudiencePage, decodePage, encodePage, sortAudience } from "../audience/pages.ts";
import type { AudienceSource } from "../audience/source.ts";
import { compileVariants } from "../audience/variants.ts";
import { deliveryDefaults } from "../channels/settings.ts";
import type { PushOrigin } from "../content/receipts.ts";
import { decodeRunChannel, decodeTask } from "../tasks/codec.ts";
import { type BatchPlan, compileBatches } from "./batch.ts";

export interface PrepareOptions {
  readonly store: ChannelStore;
  readonly audience: AudienceSource;
  readonly newRequestId: () => string;
}

type Held = Pick<Preparation, "token" | "run">;

/** What a run is made of. */
interface RunPlan extends BatchPlan {
  readonly request: MembersRequest;
}

/** Recipients of one page at most, and so of one commit: 1.5 MB of bodies, 10 ms of the event loop. */
const pageRecipients = 5_000;

/** Who prepares has lost the right to, or the run was cancelled. */
export class PreparationLostError extends Error {
  override readonly name = "PreparationLostError";
}

/**
 * Makes the batches of a run, from where it was left. The audience is read to
 * its end first and kept, sorted into pages of whole batches, so that a
 * preparation that is broken off and resumed sends to the same users: until the
 * last page is kept there is no cursor, and it begins again; afterwards the
 * cursor is the next page to make batches of. Lists that the task itself holds
 * are not kept.
 *
 * @throws PreparationLostError, InvalidFieldsError when the audience can't be made
 */
export async function prepareRun(held: Held, options: PrepareOptions, signal: AbortSignal): Promise<void> {
  const { store } = options;
  const plan = await planRun(held, options, signal);
  const toBatches = compileBatches(plan);
  let afterNumber = held.run.batches;
  let page = Number(held.run.cursor ?? 0);
  for await (const { recipients, isLast, ...counted } of pagesOf(held, plan, options, signal)) {
    page++;
    const batches = toBatches(recipients);
    const append = { afterNumber, batches, cursor: String(page), isLast, counted };
    const appended = await store.appendBatches(held.token, append, { signal });
    if (appended.kind === "stale") throw new PreparationLostError("batches were stored by somebody else");
    afterNumber += batches.length;
  }
}

async function planRun(
  { run }: Held,
  { store, newRequestId }: PrepareOptions,
  signal: AbortSignal,
): Promise<RunPlan> {
  const stored = await store.task(run.taskId, { signal });
  if (stored === null) throw new PreparationLostError(`task ${run.taskId} is gone`);
  const [channel, task] = [decodeRunChannel(run), decodeTask(stored)];
  const projectId = Number(channel.projectId);
  const variants = compileVariants(channel, task);
  const { pushIdProperty } = channel;
  const { journey } = task;
  const origin: PushOrigin =
    journey === undefined
      ? { kind: "task", taskId: run.taskId, taskInstanceId: run.runId, execDetailId: String(run.seq) }
      : { ...journey, kind: "journey" };
  return {
    ...{ projectId, origin, variants, newRequestId },
    size: channel.delivery?.batchSize ?? deliveryDefaults.batchSize,
    request: { projectId, audience: task.audience, pushIdProperty, properties: variants.properties },
  };
}

/** The pages from the cursor on. */
async function* pagesOf(
  { token, run }: Held,
  { request, variants, size }: RunPlan,
  { store, audience }: PrepareOptions,
  signal: AbortSignal,
): AsyncGenerator<AudiencePage> {
  const whole = size * Math.max(1, Math.floor(pageRecipients / size));
  const sorted = sortAudience(audienceMembers(audience, request, signal), variants, whole);
  const first = Number(run.cursor ?? 0);
  let page = 0;
  if (isFixed(request)) {
    for await (const one of sorted) if (page++ >= first) yield one;
    return;
  }
  if (run.cursor === null) {
    for await (const one of sorted) {
      const isKept = await store.putAudience(token, page++, await encodePage(one), { signal });
      if (!isKept) throw new PreparationLostError("the audience is kept by somebody else");
    }
  }
  for (let next = first; ; next++) {
    const data = await store.audience(run.runId, next, { signal });
    if (data === null) throw new PreparationLostError(`page ${next} of the audience is gone`);
    const one = await decodePage(data);
    yield one;
    if (one.isLast) return;
  }
}
