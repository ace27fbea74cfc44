import { expectAccepted, formatMs } from "../judge.ts";
import {
  encodeMessages,
  goodMessages,
  journeyReceipt,
  type Message,
  messageFor,
  taskReceipt,
} from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { Exchanged, Session } from "../session.ts";

function sendOne(session: Session, what: string, message: Message): Promise<Exchanged> {
  return session.send(encodeMessages([message]), { what, size: 1 });
}

/** The first call of a run, which other probes look at too. */
export function firstAccepted(session: Session): Promise<Exchanged> {
  return session.once("accept", () =>
    session.send(encodeMessages(goodMessages(session, 2)), {
      what: session.options.secret === undefined ? "a batch of 2 messages" : "a signed batch of 2 messages",
      size: 2,
    }),
  );
}

async function accept(session: Session): Promise<Finding> {
  const exchanged = await firstAccepted(session);
  const { outcome } = exchanged;
  const finding = expectAccepted(exchanged);
  if (finding.kind !== "failed" || outcome.kind !== "answer" || outcome.status !== 200) return finding;
  return outcome.text.trim() === ""
    ? failed(
        exchanged,
        `${finding.detail}; only with strict response validation off would it count as success`,
      )
    : finding;
}

async function acceptAll(session: Session): Promise<Finding> {
  const receipt = {
    ...taskReceipt(session, session.options.randomId()),
    ops_exp_group_id: "a",
    ops_push_language: "default",
  };
  const message = messageFor(1, receipt, {
    params: {
      title: "engage check",
      items: [
        { item_id: "1001", count: "2" },
        { item_id: "1002", count: "10" },
      ],
      no_items: [],
      starts: "2026-01-02 03:04:05",
      price: "12.50",
      nothing: "",
    },
    custom_params: { level: "37", nickname: "" },
  });
  return expectAccepted(await sendOne(session, "a batch with every field of the specification", message));
}

async function acceptLeast(session: Session): Promise<Finding> {
  const { push_id, ...rest } = messageFor(1, taskReceipt(session, session.options.randomId()));
  const message = { push_id, "#ops_receipt_properties": rest["#ops_receipt_properties"] };
  return expectAccepted(await sendOne(session, "a message without params and custom_params", message));
}

async function acceptJourney(session: Session): Promise<Finding> {
  const body = encodeMessages([messageFor(1, journeyReceipt(session, session.options.randomId()))]);
  const what = "a batch of a journey, which has flow ids and no ops_request_id";
  const first = expectAccepted(await session.send(body, { what, size: 1 }));
  if (first.kind === "failed") return first;
  return expectAccepted(
    await session.send(body, { what: `${what}, for the second time, as a journey may`, size: 1 }),
  );
}

async function acceptEmptyReceipt(session: Session): Promise<Finding> {
  return expectAccepted(await sendOne(session, "a message with an empty receipt", messageFor(1, {})));
}

async function acceptUnknown(session: Session): Promise<Finding> {
  const receipt = { ...taskReceipt(session, session.options.randomId()), ops_new_id: "1" };
  const message = messageFor(1, receipt, { new_member: { of: ["a", 1, null] } });
  return expectAccepted(await sendOne(session, "a message with members that are not specified", message));
}

async function listEmpty(session: Session): Promise<Finding> {
  const exchanged = await firstAccepted(session);
  const { outcome } = exchanged;
  const text = outcome.kind === "answer" ? outcome.text : "";
  const list: unknown = JSON.parse(text)?.data?.fail_list;
  if (Array.isArray(list)) return passed();
  const form = list === null ? "null" : "not there";
  return failed(exchanged, `fail_list of a success is ${form}, which counts as success too`);
}

async function sayJson(session: Session): Promise<Finding> {
  const exchanged = await firstAccepted(session);
  const type = exchanged.outcome.kind === "answer" ? exchanged.outcome.headers["content-type"] : undefined;
  if (/^application\/json\b/i.test(String(type))) return passed(formatMs(exchanged.ms));
  return failed(exchanged, `the answer's Content-Type is ${JSON.stringify(type ?? "")}`);
}

/** Good batches of every kind are taken. */
export const acceptProbes: readonly Probe[] = [
  {
    id: "accept",
    title: "takes a good batch",
    severity: "must",
    rule: "The answer is HTTP 200 with a JSON object whose return_code is the integer 0, and whose data.fail_list is [] or null when every element succeeded. With strict response validation (the default) an empty or other body is a failed call.",
    change:
      'Answer 200 with {"return_code":0,"return_message":"success","data":{"fail_list":[]}}. If it was refused, compare secret and header name with those of the channel.',
    after: [],
    run: accept,
  },
  {
    id: "accept-all-fields",
    title: "takes every field of the specification",
    severity: "must",
    rule: "params and custom_params hold texts, also empty ones; an Array Row is a list of objects of texts; receipts may have ops_exp_group_id and ops_push_language.",
    change:
      "Take every value of params and custom_params as text or as a list of objects of text, and let receipts have any ops_ member.",
    after: ["accept"],
    run: acceptAll,
  },
  {
    id: "accept-least",
    title: "takes a message without params",
    severity: "must",
    rule: "Required are push_id and #ops_receipt_properties; params and custom_params may be left out.",
    change: "Treat params and custom_params that are not there as empty.",
    after: ["accept"],
    run: acceptLeast,
  },
  {
    id: "journey",
    title: "takes a journey's batch, also twice",
    severity: "must",
    rule: "Pushes of a journey carry ops_flow_id, ops_flow_version and ops_node_id; the ops_task ids and ops_request_id are present only for operation tasks.",
    change:
      "Don't require ops_request_id. Without one there is nothing to recognise repeats by: take the batch.",
    after: ["accept"],
    run: acceptJourney,
  },
  {
    id: "empty-receipt",
    title: "takes an empty receipt",
    severity: "should",
    rule: "#ops_receipt_properties is a required object; test pushes have been seen with an empty one.",
    change: "Require the object, not its members.",
    after: ["accept", "journey"],
    run: acceptEmptyReceipt,
  },
  {
    id: "unknown-members",
    title: "takes members it doesn't know",
    severity: "should",
    rule: "The receiver doesn't interpret #ops_receipt_properties, it passes the object on whole. The interface has no version, so members may be added.",
    change: "Ignore members you don't know, and keep those of the receipt.",
    after: ["accept"],
    run: acceptUnknown,
  },
  {
    id: "empty-fail-list",
    title: "answers a success with an empty fail_list",
    severity: "info",
    rule: "A receiver without partial failures returns []; null counts as success as well.",
    change: 'Answer "data":{"fail_list":[]} when nothing failed.',
    after: ["accept"],
    run: listEmpty,
  },
  {
    id: "json-answer",
    title: "says that its answer is JSON",
    severity: "info",
    rule: "The body of the answer is a JSON object; nothing is said of its Content-Type.",
    change: "Answer with Content-Type: application/json.",
    after: ["accept"],
    run: sayJson,
  },
];
