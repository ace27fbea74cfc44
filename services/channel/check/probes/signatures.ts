import { signBody } from "../../../../base/net/signature.ts";
import { expectAccepted, expectRefused } from "../judge.ts";
import { encodeMessages, goodMessages } from "../message.ts";
import type { Finding, Probe } from "../probe.ts";
import type { Session } from "../session.ts";

type Sign = (secret: string, body: Uint8Array) => string | null;

/** Returns a probe that sends a new batch with a signature which must be refused. */
function refuses(what: string, sign: Sign): (session: Session) => Promise<Finding> {
  return async (session) => {
    const body = encodeMessages(goodMessages(session, 1));
    const signature = sign(session.options.secret!, body);
    return expectRefused(await session.send(body, { what, size: 1, signature }));
  };
}

/** Changes the last digit. */
function alter(signature: string): string {
  const last = signature.at(-1) === "0" ? "1" : "0";
  return signature.slice(0, -1) + last;
}

const otherBody = Buffer.from("[]");

async function acceptsUpperCase(session: Session): Promise<Finding> {
  const body = encodeMessages(goodMessages(session, 1));
  const signature = signBody(session.options.secret!, body).toUpperCase();
  const what = "a batch whose signature is written in upper case";
  return expectAccepted(await session.send(body, { what, size: 1, signature }));
}

async function acceptsSecondSecret(session: Session): Promise<Finding> {
  const { secondSecret } = session.options;
  if (secondSecret === undefined) return { kind: "skipped", detail: "no second secret to sign with" };
  const body = encodeMessages(goodMessages(session, 1));
  const what = "a batch signed with the second secret";
  return expectAccepted(await session.send(body, { what, size: 1, signature: signBody(secondSecret, body) }));
}

const rule =
  "The signature is the hexadecimal HMAC-SHA1 of the exact body, keyed with the channel's secret. The receiver computes it too and compares; only a match is authenticated.";
const common = { severity: "must", rule, after: ["accept"], needsSecret: true } as const;

/** Probes that send batches with a wrong or an unusual signature. */
export const signatureProbes: readonly Probe[] = [
  {
    id: "signature-missing",
    title: "refuses a batch without a signature",
    ...common,
    change: "Refuse a request without the signature header, with HTTP 401 and return_code 1.",
    run: refuses("a batch without the signature header", () => null),
  },
  {
    id: "signature-wrong",
    title: "refuses a wrong signature",
    ...common,
    change:
      "Compute the HMAC over the raw body before it is parsed, and compare all 20 bytes in constant time.",
    run: refuses("a batch whose signature is 40 zeros", () => "0".repeat(40)),
  },
  {
    id: "signature-empty",
    title: "refuses an empty signature",
    ...common,
    after: ["accept", "signature-missing"],
    change: "Compare the whole signature: an empty string is a prefix of every signature.",
    run: refuses("a batch whose signature is empty", () => ""),
  },
  {
    id: "signature-cut",
    title: "refuses a truncated signature",
    ...common,
    after: ["accept", "signature-wrong"],
    change: "Refuse a signature that does not have exactly 40 hexadecimal digits.",
    run: refuses("a batch with the first 39 digits of its signature", (secret, body) =>
      signBody(secret, body).slice(0, -1),
    ),
  },
  {
    id: "signature-altered",
    title: "compares the whole signature",
    ...common,
    after: ["accept", "signature-wrong"],
    change: "Compare all 20 bytes, to the last digit.",
    run: refuses("a batch with the last digit of its signature changed", (secret, body) =>
      alter(signBody(secret, body)),
    ),
  },
  {
    id: "signature-empty-secret",
    title: "refuses the signature of an empty secret",
    ...common,
    after: ["accept", "signature-wrong"],
    change:
      "Refuse to start without the secret: if a missing setting counts as an empty secret, anyone can sign.",
    run: refuses("a batch signed with an empty secret", (_secret, body) => signBody("", body)),
  },
  {
    id: "signature-other-secret",
    title: "refuses another secret's signature",
    ...common,
    change: "Accept only signatures made with a secret of this channel.",
    run: refuses("a batch signed with another secret", (secret, body) => signBody(`${secret}?`, body)),
  },
  {
    id: "signature-second-secret",
    title: "accepts the second secret's signature",
    ...common,
    rule: `${rule} While a secret is changed, batches signed with the previous one are still in transit, and are retried with the same signature.`,
    change:
      "Keep both the old and the new secret for as long as retries may last, and accept a signature that matches either.",
    run: acceptsSecondSecret,
  },
  {
    id: "signature-other-body",
    title: "refuses the signature of another body",
    ...common,
    change: "Compute the HMAC over the whole body of this request, not over a fixed string or a part of it.",
    run: refuses("a batch with the signature of the body []", (secret) => signBody(secret, otherBody)),
  },
  {
    id: "signature-upper-case",
    title: "accepts a signature in upper case",
    ...common,
    severity: "should",
    rule: "The signature is a hexadecimal string; its case is not specified. The present platform writes lower case.",
    change: "Decode the header from hexadecimal and compare the bytes, not the strings.",
    run: acceptsUpperCase,
  },
];
