import { untilAborted } from "../../../base/async/abort.ts";
import type { BatchElement } from "../../../store/inbox/inbox.ts";
import type { Channel } from "../channels.ts";
import type { ReceiveObserver } from "../observer.ts";
import type { CheckedBatch, ElementFailure } from "./elements.ts";
import type { CheckPushIds } from "./push-ids.ts";

/** Moves elements with unusable push ids to the failures. Without rules there is nothing to wait for. */
export function applyPushIdRules(
  channel: Channel,
  checked: CheckedBatch,
  checkPushIds: CheckPushIds | undefined,
  observer: Pick<ReceiveObserver, "failed">,
): CheckedBatch | Promise<CheckedBatch> {
  if (channel.pushIdRule === undefined && channel.checkTimeoutMs === undefined) return checked;
  return apply(channel, checked, checkPushIds, observer);
}

async function apply(
  channel: Channel,
  checked: CheckedBatch,
  checkPushIds: CheckPushIds | undefined,
  observer: Pick<ReceiveObserver, "failed">,
): Promise<CheckedBatch> {
  const { pushIdRule: rule } = channel;
  const unusable = await checkWithService(channel, checked.accepted, checkPushIds, observer);
  if (rule === undefined && unusable === undefined) return checked;
  const accepted: BatchElement[] = [];
  const failures: ElementFailure[] = [...checked.failures];
  for (const element of checked.accepted) {
    const message = rule?.(element.pushId) ?? unusable?.get(element.pushId);
    if (message === undefined) accepted.push(element);
    else failures.push({ index: element.index, message: message || "push_id is not usable" });
  }
  return { ...checked, accepted, failures: failures.sort((a, b) => a.index - b.index) };
}

/** Checks push ids with the channel's service; undefined if there is none or it fails: then nothing is refused. */
async function checkWithService(
  { name, checkTimeoutMs }: Channel,
  elements: readonly BatchElement[],
  checkPushIds: CheckPushIds | undefined,
  observer: Pick<ReceiveObserver, "failed">,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (checkPushIds === undefined || checkTimeoutMs === undefined || elements.length === 0) return undefined;
  const pushIds = [...new Set(elements.map(({ pushId }) => pushId))];
  const signal = AbortSignal.timeout(checkTimeoutMs);
  try {
    // The sender is waiting, and a check may ignore its signal.
    return await untilAborted(checkPushIds(name, pushIds, signal), signal);
  } catch (error) {
    observer.failed(name, "push_id_check", error);
    return undefined;
  }
}
