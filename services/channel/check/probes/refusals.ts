import { expectAccepted, expectRefused, sayStatus } from "../judge.ts";
import { encodeMessages, goodMessages } from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { Exchanged, Session } from "../session.ts";

function cutJson(session: Session): Promise<Exchanged> {
  return session.once("cut-json", () => {
    const body = encodeMessages(goodMessages(session, 2));
    const what = "a body whose JSON ends in its middle";
    return session.send(body.subarray(0, body.length >> 1), { what, size: 2 });
  });
}

async function takesNone(session: Session): Promise<Finding> {
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

async function saysWhy(session: Session): Promise<Finding> {
  const exchanged = await cutJson(session);
  const { verdict } = exchanged;
  const isSaid = verdict.kind === "failed" && verdict.message.includes("return_code");
  if (isSaid && exchanged.outcome.kind === "answer" && exchanged.outcome.status < 500) return passed();
  return failed(
    exchanged,
    `${sayStatus(exchanged)} ${isSaid ? "" : "without a return_code "}for a faulty body`,
  );
}

/** Bodies that are no batch. */
export const refusalProbes: readonly Probe[] = [
  {
    id: "empty-array",
    title: "takes an empty array",
    severity: "should",
    rule: "The body is a JSON array. An empty one is not excluded, and nothing in it can fail.",
    change: "Answer return_code 0 with an empty fail_list.",
    after: ["accept"],
    run: takesNone,
  },
  {
    id: "not-json",
    title: "refuses a body that is no JSON",
    severity: "must",
    rule: "The body is a JSON array; return_code 0 with an empty fail_list says that every element succeeded.",
    change: "Answer HTTP 400 with return_code 1 when the body can't be parsed.",
    after: ["accept"],
    run: refusesCut,
  },
  {
    id: "not-an-array",
    title: "refuses a body that is no array",
    severity: "should",
    rule: "The body is a JSON array; each element is one message.",
    change: "Answer HTTP 400 with return_code 1 when the body is no array.",
    after: ["accept"],
    run: refusesObject,
  },
  {
    id: "refusal-form",
    title: "says return_code 1 when it refuses",
    severity: "should",
    rule: "return_code 1 means failure, return_message may say why. The platform retries on a return_code other than 0.",
    change:
      'Answer a batch that is refused with a status from 400 to 499 and {"return_code":1,"return_message":"…"}.',
    after: ["accept", "not-json"],
    run: saysWhy,
  },
];
