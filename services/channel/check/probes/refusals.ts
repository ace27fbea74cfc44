import { expectAccepted, expectRefused, formatStatus } from "../judge.ts";
import { encodeMessages, goodMessages } from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { Exchanged, Session } from "../session.ts";

function cutJson(session: Session): Promise<Exchanged> {
  return session.once("cut-json", () => {
    const body = encodeMessages(goodMessages(session, 2));
    const what = "a body whose JSON is cut in the middle";
    return session.send(body.subarray(0, body.length >> 1), { what, size: 2 });
  });
}

async function acceptsEmpty(session: Session): Promise<Finding> {
  const exchanged = await session.send(Buffer.from("[]"), { what: "a batch without messages", size: 0 });
  return expectAccepted(exchanged);
}

async function refusesCut(session: Session): Promise<Finding> {
  return expectRefused(await cutJson(session));
}

async function refusesObject(session: Session): Promise<Finding> {
  const [message] = goodMessages(session, 1);
  const body = Buffer.from(JSON.stringify(message));
  return expectRefused(await session.send(body, { what: "one message that is not in an array", size: 1 }));
}

async function refusesWithReturnCode(session: Session): Promise<Finding> {
  const exchanged = await cutJson(session);
  const { verdict } = exchanged;
  const hasReturnCode = verdict.kind === "failed" && verdict.message.includes("return_code");
  if (hasReturnCode && exchanged.outcome.kind === "response" && exchanged.outcome.status < 500)
    return passed();
  return failed(
    exchanged,
    `${formatStatus(exchanged)} ${hasReturnCode ? "" : "without a return_code "}for an invalid body`,
  );
}

/** Probes that send bodies which are not a batch. */
export const refusalProbes: readonly Probe[] = [
  {
    id: "empty-array",
    title: "accepts an empty array",
    severity: "should",
    rule: "The body is a JSON array. An empty one is not excluded, and has no element that could fail.",
    change: "Respond with return_code 0 and an empty fail_list.",
    after: ["accept"],
    run: acceptsEmpty,
  },
  {
    id: "not-json",
    title: "refuses a body that is not JSON",
    severity: "must",
    rule: "The body is a JSON array; return_code 0 with an empty fail_list means that every element succeeded.",
    change: "Respond with HTTP 400 and return_code 1 if the body cannot be parsed.",
    after: ["accept"],
    run: refusesCut,
  },
  {
    id: "not-an-array",
    title: "refuses a body that is not an array",
    severity: "should",
    rule: "The body is a JSON array; each element is one message.",
    change: "Respond with HTTP 400 and return_code 1 if the body is not an array.",
    after: ["accept"],
    run: refusesObject,
  },
  {
    id: "refusal-form",
    title: "refuses with return_code 1",
    severity: "should",
    rule: "return_code 1 means failure; return_message may give the reason. The platform retries on a return_code other than 0.",
    change: 'Refuse a batch with a status from 400 to 499 and {"return_code":1,"return_message":"…"}.',
    after: ["accept", "not-json"],
    run: refusesWithReturnCode,
  },
];
