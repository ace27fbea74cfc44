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

/** Sends the first batch of a run, once; several probes look at its response. */
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
  if (finding.kind !== "failed" || outcome.kind !== "response" || outcome.status !== 200) return finding;
  return outcome.text.trim() === ""
    ? failed(exchanged, `${finding.detail}; it counts as a success only if strict validation is off`)
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

async function acceptMinimal(session: Session): Promise<Finding> {
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
    await session.send(body, { what: `${what}, sent a second time, as a journey may`, size: 1 }),
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
  const text = outcome.kind === "response" ? outcome.text : "";
  const list: unknown = JSON.parse(text)?.data?.fail_list;
  if (Array.isArray(list)) return passed();
  const form = list === null ? "null" : "missing";
  return failed(exchanged, `fail_list of a success is ${form}, which also counts as a success`);
}

async function checkContentType(session: Session): Promise<Finding> {
  const exchanged = await firstAccepted(session);
  const type = exchanged.outcome.kind === "response" ? exchanged.outcome.headers["content-type"] : undefined;
  if (/^application\/json\b/i.test(String(type))) return passed(formatMs(exchanged.ms));
  return failed(exchanged, `the response's Content-Type is ${JSON.stringify(type ?? "")}`);
}

/** Probes that send valid batches of every kind, which must be accepted. */
export const acceptProbes: readonly Probe[] = [
  {
    id: "accept",
    title: "accepts a valid batch",
    severity: "must",
    rule: "The response is HTTP 200 with a JSON object whose return_code is the integer 0, and whose data.fail_list is [] or null when every element succeeded. With strict response validation (the default) an empty or other body is a failed call.",
    change:
      'Respond with HTTP 200 and {"return_code":0,"return_message":"success","data":{"fail_list":[]}}. If the batch was refused, compare the secret and the header name with those of the channel.',
    after: [],
    run: accept,
  },
  {
    id: "accept-all-fields",
    title: "accepts every field of the specification",
    severity: "must",
    rule: "Values of params and custom_params are strings, which may be empty; an Array Row is a list of objects of strings; receipts may have ops_exp_group_id and ops_push_language.",
    change:
      "Accept every value of params and custom_params as a string or as a list of objects of strings, and any ops_ member in receipts.",
    after: ["accept"],
    run: acceptAll,
  },
  {
    id: "accept-least",
    title: "accepts a message without params",
    severity: "must",
    rule: "push_id and #ops_receipt_properties are required; params and custom_params may be omitted.",
    change: "Treat missing params and custom_params as empty.",
    after: ["accept"],
    run: acceptMinimal,
  },
  {
    id: "journey",
    title: "accepts a journey's batch, also twice",
    severity: "must",
    rule: "Pushes of a journey carry ops_flow_id, ops_flow_version and ops_node_id; the ops_task ids and ops_request_id are present only for operation tasks.",
    change: "Do not require ops_request_id. A repeat without one cannot be recognised: accept the batch.",
    after: ["accept"],
    run: acceptJourney,
  },
  {
    id: "empty-receipt",
    title: "accepts an empty receipt",
    severity: "should",
    rule: "#ops_receipt_properties is a required object; test pushes have been seen with an empty one.",
    change: "Require the object, not its members.",
    after: ["accept", "journey"],
    run: acceptEmptyReceipt,
  },
  {
    id: "unknown-members",
    title: "accepts unknown members",
    severity: "should",
    rule: "The receiver does not interpret #ops_receipt_properties; it passes on the whole object. The interface has no version, so members may be added.",
    change: "Ignore unknown members, and keep those of the receipt.",
    after: ["accept"],
    run: acceptUnknown,
  },
  {
    id: "empty-fail-list",
    title: "returns an empty fail_list on success",
    severity: "info",
    rule: "A receiver without partial failures returns []; null also counts as a success.",
    change: 'Return "data":{"fail_list":[]} if no element failed.',
    after: ["accept"],
    run: listEmpty,
  },
  {
    id: "json-answer",
    title: "declares its response as JSON",
    severity: "info",
    rule: "The body of the response is a JSON object; its Content-Type is not specified.",
    change: "Respond with Content-Type: application/json.",
    after: ["accept"],
    run: checkContentType,
  },
];
