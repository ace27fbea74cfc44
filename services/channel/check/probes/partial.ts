import { isRefusal } from "../judge.ts";
import { badMessage, encodeMessages, messageFor, taskReceipt } from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { Exchanged, Session } from "../session.ts";

/** Indexes of the bad messages among the five, counted from 1. Counted from 0 or from the end they differ. */
const badIndexes = [2, 3] as const;

/** Sends the batch whose response all of these probes look at, once. */
export function partialBatch(session: Session): Promise<Exchanged> {
  return session.once("partial", () => {
    const { knownBadPushId, randomId } = session.options;
    const receipt = taskReceipt(session, randomId());
    const bad = badMessage(session, receipt);
    const messages = [1, 2, 3, 4, 5].map((index) =>
      badIndexes.some((one) => one === index) ? bad : messageFor(index, receipt),
    );
    const fault = knownBadPushId === undefined ? "have no push_id" : "have the push id known as bad";
    const what = `5 messages, of which the 2nd and the 3rd ${fault}`;
    return session.send(encodeMessages(messages), { what, size: messages.length });
  });
}

function indexesOf({ verdict }: Exchanged): readonly number[] {
  return verdict.kind === "accepted" ? verdict.failed.map(({ index }) => index) : [];
}

async function acceptsPartially(session: Session): Promise<Finding> {
  const exchanged = await partialBatch(session);
  const { verdict } = exchanged;
  if (verdict.kind === "accepted") return passed();
  const whole = isRefusal(exchanged) ? "the whole batch was refused" : "the call failed";
  return failed(exchanged, `${whole} because of two bad elements: ${verdict.message}`);
}

async function listsBad(session: Session): Promise<Finding> {
  const exchanged = await partialBatch(session);
  const { length } = indexesOf(exchanged);
  if (length >= badIndexes.length) return passed();
  return failed(exchanged, `fail_list has ${length} of the ${badIndexes.length} bad elements`);
}

async function countsFromOne(session: Session): Promise<Finding> {
  const exchanged = await partialBatch(session);
  const found = indexesOf(exchanged);
  if (String(found) === String(badIndexes)) return passed();
  const isFromZero = String(found) === String(badIndexes.map((index) => index - 1));
  const hint = isFromZero ? " (it counts from 0)" : "";
  return failed(
    exchanged,
    `fail_list has index ${found.join(", ")}, expected ${badIndexes.join(", ")}${hint}`,
  );
}

async function givesReasons(session: Session): Promise<Finding> {
  const exchanged = await partialBatch(session);
  const { verdict } = exchanged;
  const silent =
    verdict.kind === "accepted" ? verdict.failed.find(({ message }) => message === "") : undefined;
  return silent === undefined
    ? passed()
    : failed(exchanged, `the fail_list entry of element ${silent.index} has no message`);
}

/** Probes that send batches in which some elements are bad. */
export const partialProbes: readonly Probe[] = [
  {
    id: "partial-failure",
    title: "accepts a batch with bad elements",
    severity: "must",
    rule: "return_code 0 means success or partial success; with a fail_list only the listed elements failed. return_code 1 fails every element, whatever fail_list contains.",
    change:
      "Respond with HTTP 200 and return_code 0, list the bad elements in data.fail_list and accept the others.",
    after: ["accept"],
    run: acceptsPartially,
  },
  {
    id: "partial-named",
    title: "lists unusable elements in fail_list",
    severity: "should",
    rule: "push_id is required. Unusable push ids should be checked up front and returned in fail_list; elements that are not listed count as successes.",
    change: "Check each element before queueing it and list the bad ones.",
    after: ["accept", "partial-failure"],
    run: listsBad,
  },
  {
    id: "partial-index",
    title: "counts fail_list from 1",
    severity: "must",
    rule: "index is the sequence number of the failed element in the request array; it starts at 1, not 0.",
    change: "Set index to the position in the request's array plus 1.",
    after: ["accept", "partial-failure", "partial-named"],
    run: countsFromOne,
  },
  {
    id: "partial-reason",
    title: "gives a reason for each failed element",
    severity: "should",
    rule: "message, the failure reason, is optional but strongly recommended.",
    change: "Add a message to each entry of fail_list.",
    after: ["accept", "partial-failure", "partial-named"],
    run: givesReasons,
  },
];
