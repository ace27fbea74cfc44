import { expectAccepted } from "../judge.ts";
import {
  badMessage,
  encodeMessages,
  journeyReceipt,
  type Message,
  messageFor,
  taskReceipt,
} from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { Exchanged, Session } from "../session.ts";
import { firstAccepted } from "./accept.ts";
import { partialBatch } from "./partial.ts";

/** Number of overlapping attempts, as after a timeout of the platform. */
const copies = 5;

function resend(session: Session, { what, body }: Exchanged, size: number): Promise<Exchanged> {
  return session.send(body, { what: `again: ${what}`, size });
}

/** Reports whether two responses mean the same to the platform. */
function isSame({ verdict: a }: Exchanged, { verdict: b }: Exchanged): boolean {
  return JSON.stringify(meaningOf(a)) === JSON.stringify(meaningOf(b));
}

function meaningOf(verdict: Exchanged["verdict"]): unknown {
  return verdict.kind === "failed" ? "failed" : verdict.failed.map(({ index }) => index);
}

async function repeats(session: Session): Promise<Finding> {
  return expectAccepted(await resend(session, await firstAccepted(session), 2));
}

async function repeatsPartial(session: Session): Promise<Finding> {
  const first = await partialBatch(session);
  const second = await resend(session, first, 5);
  if (isSame(first, second)) return passed();
  const found = JSON.stringify(meaningOf(second.verdict));
  return failed(
    second,
    `failed elements: ${JSON.stringify(meaningOf(first.verdict))} at first, ${found} when repeated`,
  );
}

async function repeatsBytes(session: Session): Promise<Finding> {
  const first = await firstAccepted(session);
  const second = await resend(session, first, 2);
  const [one, other] = [first, second].map(({ outcome }) =>
    outcome.kind === "response" ? outcome.text : "",
  );
  return one === other ? passed() : failed(second, `the first response was ${one}`);
}

/**
 * Checks that a receiver does not process the elements of a known request id again: it must return the first reply,
 * or refuse the batch because its body differs.
 */
async function handlesOnce(session: Session): Promise<Finding> {
  const receipt = taskReceipt(session, session.options.randomId());
  const good = messageFor(1, receipt);
  const first = await session.send(encodeMessages([good]), { what: "a batch of one message", size: 1 });
  const isTaken = expectAccepted(first);
  if (isTaken.kind === "failed") return isTaken;
  const body = encodeMessages([good, badMessage(session, receipt)]);
  const what = "a batch with an ops_request_id that was used before, and a second element that is bad";
  const second = await session.send(body, { what, size: 2 });
  const { verdict } = second;
  if (verdict.kind === "failed") return passed("a used id with another body is refused");
  if (verdict.failed.length === 0) return passed("a used id gets the first reply");
  return failed(second, "the elements of a used id were processed again");
}

async function acceptsOverlapping(session: Session): Promise<Finding> {
  const receipt = taskReceipt(session, session.options.randomId());
  const body = encodeMessages([1, 2, 3].map((number) => messageFor(number, receipt)));
  const what = `a batch that was sent ${copies} times at once`;
  const responses = await Promise.all(
    Array.from({ length: copies }, () => session.send(body, { what, size: 3 })),
  );
  const findings = responses.map(expectAccepted).filter(({ kind }) => kind === "failed");
  const [first] = findings;
  if (first?.kind !== "failed") return passed();
  return failed(first.exchanged, `${findings.length} of ${copies} copies were not accepted: ${first.detail}`);
}

/** Sends a valid batch, then another one with a bad element, which the receiver must report. */
async function checksSecond(
  session: Session,
  [first, second]: readonly [Message, Message],
  alike: string,
): Promise<Finding> {
  const isTaken = expectAccepted(
    await session.send(encodeMessages([messageFor(1, first)]), { what: "a batch of one message", size: 1 }),
  );
  if (isTaken.kind === "failed") return isTaken;
  const body = encodeMessages([messageFor(2, second), badMessage(session, second)]);
  const what = `a second batch ${alike}, whose second element is bad`;
  const exchanged = await session.send(body, { what, size: 2 });
  const { verdict } = exchanged;
  if (verdict.kind === "accepted" && verdict.failed.length > 0) return passed();
  const seen = verdict.kind === "failed" ? `it failed: ${verdict.message}` : "its bad element is not listed";
  return failed(exchanged, `a batch ${alike} was taken for a repeat: ${seen}`);
}

function checksEachRequest(session: Session): Promise<Finding> {
  const { randomId } = session.options;
  const taskId = randomId();
  const receipts = [
    taskReceipt(session, randomId(), taskId),
    taskReceipt(session, randomId(), taskId),
  ] as const;
  return checksSecond(session, receipts, "of the same task, with another ops_request_id");
}

function checksEachJourney(session: Session): Promise<Finding> {
  const receipt = journeyReceipt(session, session.options.randomId());
  return checksSecond(session, [receipt, receipt], "of the same journey");
}

const rule =
  "ops_request_id identifies one batch request, is the same in all its elements, and does not change when the request is retried. The receiver uses it for idempotency checks.";

/** Probes that repeat batches, as the platform does when it retries. */
export const repeatProbes: readonly Probe[] = [
  {
    id: "repeat",
    title: "accepts a repeated batch",
    severity: "must",
    rule: `${rule} A return_code other than 0 fails every element of the batch.`,
    change:
      "Store the reply with the request id, for about a day, and return it again; a repeat is not a failure.",
    after: ["accept"],
    run: repeats,
  },
  {
    id: "repeat-partial",
    title: "lists the same elements when repeated",
    severity: "must",
    rule: `${rule} Only the reply to the last attempt counts.`,
    change: "Store the whole reply with the request id, including its fail_list, and return it again.",
    after: ["accept", "repeat", "partial-failure"],
    run: repeatsPartial,
  },
  {
    id: "repeat-bytes",
    title: "repeats its reply byte for byte",
    severity: "info",
    rule: "Only the meaning of a reply is specified. Equal bytes show that the reply was stored.",
    change: "Store the bytes of the reply.",
    after: ["accept", "repeat"],
    run: repeatsBytes,
  },
  {
    id: "repeat-once",
    title: "processes a request id once",
    severity: "should",
    rule,
    change:
      "Store the request id in one transaction with the work, and look it up first. If you recognise repeats by id and body, or element by element, skip this probe.",
    after: ["accept", "repeat", "partial-failure", "partial-named"],
    run: handlesOnce,
  },
  {
    id: "repeat-other-request",
    title: "processes each request id of a task",
    severity: "must",
    rule: `${rule} A task sends many batches, which share the ids of the task, of its instance and of its execution.`,
    change:
      "Identify a batch by its ops_request_id alone, not by ops_task_id, ops_task_instance_id or ops_task_exec_detail_id.",
    after: ["accept", "partial-failure", "partial-named"],
    run: checksEachRequest,
  },
  {
    id: "repeat-journey",
    title: "processes each batch of a journey",
    severity: "must",
    rule: "Batches of journeys have no ops_request_id; ops_flow_id, ops_flow_version and ops_node_id are the same for all users who pass a node.",
    change:
      "Do not use ops_flow_id or a missing id as the id of a batch. Where repeats of journeys matter, compare whole elements.",
    after: ["accept", "journey", "partial-failure", "partial-named"],
    run: checksEachJourney,
  },
  {
    id: "repeat-overlapping",
    title: "accepts copies that arrive at once",
    severity: "should",
    rule: `${rule} After a timeout the platform retries while the first attempt may still be in progress.`,
    change: "Let a repeat wait for the first attempt and return the same reply.",
    after: ["accept", "repeat"],
    run: acceptsOverlapping,
  },
];
