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

/** Overlapping attempts, as after a timeout of the platform. */
const copies = 5;

function resend(session: Session, { what, body }: Exchanged, size: number): Promise<Exchanged> {
  return session.send(body, { what: `again: ${what}`, size });
}

/** Two answers are the same for the platform. */
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
    `failed at first: ${JSON.stringify(meaningOf(first.verdict))}, when repeated: ${found}`,
  );
}

async function repeatsBytes(session: Session): Promise<Finding> {
  const first = await firstAccepted(session);
  const second = await resend(session, first, 2);
  const [one, other] = [first, second].map(({ outcome }) => (outcome.kind === "answer" ? outcome.text : ""));
  return one === other ? passed() : failed(second, `the first answer was ${one}`);
}

/**
 * A receiver that knows the id doesn't look at the elements again: it gives the
 * answer of the first time, or says that the body is another one.
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
  if (verdict.failed.length === 0) return passed("a used id has the first answer");
  return failed(second, "the elements of an id that was used before were looked at again");
}

async function answersOverlapping(session: Session): Promise<Finding> {
  const receipt = taskReceipt(session, session.options.randomId());
  const body = encodeMessages([1, 2, 3].map((number) => messageFor(number, receipt)));
  const what = `a batch that was sent ${copies} times at once`;
  const answers = await Promise.all(
    Array.from({ length: copies }, () => session.send(body, { what, size: 3 })),
  );
  const findings = answers.map(expectAccepted).filter(({ kind }) => kind === "failed");
  const [first] = findings;
  if (first?.kind !== "failed") return passed();
  return failed(first.exchanged, `${findings.length} of ${copies} copies were not taken: ${first.detail}`);
}

/** A good batch, and then another one with a bad element, which has to be found. */
async function looksAgain(
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
  const answered = await session.send(body, { what, size: 2 });
  const { verdict } = answered;
  if (verdict.kind === "accepted" && verdict.failed.length > 0) return passed();
  const seen = verdict.kind === "failed" ? `it failed: ${verdict.message}` : "its bad element is not named";
  return failed(answered, `a batch ${alike} was taken for a repeat: ${seen}`);
}

function looksAtEachRequest(session: Session): Promise<Finding> {
  const { randomId } = session.options;
  const taskId = randomId();
  const receipts = [
    taskReceipt(session, randomId(), taskId),
    taskReceipt(session, randomId(), taskId),
  ] as const;
  return looksAgain(session, receipts, "of the same task, by another ops_request_id");
}

function looksAtEachJourney(session: Session): Promise<Finding> {
  const receipt = journeyReceipt(session, session.options.randomId());
  return looksAgain(session, [receipt, receipt], "of the same journey");
}

const rule =
  "ops_request_id identifies one batch request, is the same in all its elements, and doesn't change when the request is retried. The receiver uses it for idempotency checks.";

/** Retries of the platform. */
export const repeatProbes: readonly Probe[] = [
  {
    id: "repeat",
    title: "takes a repeated batch as it took the first",
    severity: "must",
    rule: `${rule} A return_code other than 0 fails every element of the batch.`,
    change:
      "Keep the answer with the request id, for a day or so, and give it again; a repeat is no failure.",
    after: ["accept"],
    run: repeats,
  },
  {
    id: "repeat-partial",
    title: "names the same elements when repeated",
    severity: "must",
    rule: `${rule} Only the answer of the last attempt counts.`,
    change: "Keep the whole answer with the request id, its fail_list too, and give it again.",
    after: ["accept", "repeat", "partial-failure"],
    run: repeatsPartial,
  },
  {
    id: "repeat-bytes",
    title: "repeats its answer byte for byte",
    severity: "info",
    rule: "Only what an answer means is specified. Equal bytes show that the answer was kept.",
    change: "Keep the bytes of the answer.",
    after: ["accept", "repeat"],
    run: repeatsBytes,
  },
  {
    id: "repeat-once",
    title: "handles a request id once",
    severity: "should",
    rule,
    change:
      "Note the request id in one transaction with the work, and look it up first. If repeats are recognised by id and body, or element by element, leave this probe out.",
    after: ["accept", "repeat", "partial-failure", "partial-named"],
    run: handlesOnce,
  },
  {
    id: "repeat-other-request",
    title: "looks at each request id of a task",
    severity: "must",
    rule: `${rule} A task sends many batches: they have the ids of the task, of its instance and of its execution in common.`,
    change:
      "Know a batch by its ops_request_id alone, not by ops_task_id, ops_task_instance_id or ops_task_exec_detail_id.",
    after: ["accept", "partial-failure", "partial-named"],
    run: looksAtEachRequest,
  },
  {
    id: "repeat-journey",
    title: "looks at each batch of a journey",
    severity: "must",
    rule: "Batches of journeys have no ops_request_id; ops_flow_id, ops_flow_version and ops_node_id are the same for all users who pass a node.",
    change:
      "Don't take ops_flow_id or a missing id for the id of a batch. Where repeats of journeys matter, compare whole elements.",
    after: ["accept", "journey", "partial-failure", "partial-named"],
    run: looksAtEachJourney,
  },
  {
    id: "repeat-overlapping",
    title: "takes copies that arrive at once",
    severity: "should",
    rule: `${rule} After a timeout the platform retries while the first attempt may still be in work.`,
    change: "Let a repeat wait for the first one and give it the same answer.",
    after: ["accept", "repeat"],
    run: answersOverlapping,
  },
];
