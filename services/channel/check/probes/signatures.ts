import { signBody } from "../../signing.ts";
import { expectAccepted, expectRefused } from "../judge.ts";
import { encodeMessages, goodMessages } from "../message.ts";
import type { Finding, Probe } from "../probe.ts";
import type { Session } from "../session.ts";

type Sign = (secret: string, body: Uint8Array) => string | null;

/** Sends a fresh batch with a signature that must not be accepted. */
function refuses(what: string, sign: Sign): (session: Session) => Promise<Finding> {
  return async (session) => {
    const body = encodeMessages(goodMessages(session, 1));
    const signature = sign(session.options.secret!, body);
    return expectRefused(await session.send(body, { what, size: 1, signature }));
  };
}

/** The last digit is another one. */
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
  if (secondSecret === undefined)
    return { kind: "skipped", detail: "there is no second secret to sign with" };
  const body = encodeMessages(goodMessages(session, 1));
  const what = "a batch signed with the second secret";
  return expectAccepted(await session.send(body, { what, size: 1, signature: signBody(secondSecret, body) }));
}

const rule =
  "The signature is the hexadecimal HMAC-SHA1 of the exact body, keyed with the channel's secret. The receiver computes the same and compares; only a match is authenticated.";
const common = { severity: "must", rule, after: ["accept"], needsSecret: true } as const;

/** Only what the platform has signed is taken. */
export const signatureProbes: readonly Probe[] = [
  {
    id: "signature-missing",
    title: "refuses a batch without a signature",
    ...common,
    change: "Refuse, with HTTP 401 and return_code 1, a request without the signature header.",
    run: refuses("a batch without the signature header", () => null),
  },
  {
    id: "signature-wrong",
    title: "refuses a wrong signature",
    ...common,
    change:
      "Compute the HMAC over the raw body before anything reads it, and compare all 20 bytes in constant time.",
    run: refuses("a batch whose signature is 40 zeros", () => "0".repeat(40)),
  },
  {
    id: "signature-empty",
    title: "refuses an empty signature",
    ...common,
    after: ["accept", "signature-missing"],
    change: "Compare all of the signature: an empty text is where each one begins.",
    run: refuses("a batch whose signature is empty", () => ""),
  },
  {
    id: "signature-cut",
    title: "refuses a signature that is cut",
    ...common,
    after: ["accept", "signature-wrong"],
    change: "Refuse a signature that has not exactly 40 hexadecimal digits.",
    run: refuses("a batch with the first 39 digits of its signature", (secret, body) =>
      signBody(secret, body).slice(0, -1),
    ),
  },
  {
    id: "signature-altered",
    title: "compares all of a signature",
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
      "Refuse to start without the secret: a setting that is missing is no empty secret, with which anybody can sign.",
    run: refuses("a batch signed with an empty secret", (_secret, body) => signBody("", body)),
  },
  {
    id: "signature-other-secret",
    title: "refuses another secret's signature",
    ...common,
    change: "Accept only signatures that were made with a secret of this channel.",
    run: refuses("a batch signed with another secret", (secret, body) => signBody(`${secret}?`, body)),
  },
  {
    id: "signature-second-secret",
    title: "accepts the second secret's signature",
    ...common,
    rule: `${rule} While a secret is changed, batches that were signed with the one before are still on their way, and are retried with the same signature.`,
    change:
      "Keep the old and the new secret side by side for as long as retries may last, and accept a signature that matches either.",
    run: acceptsSecondSecret,
  },
  {
    id: "signature-other-body",
    title: "refuses the signature of another body",
    ...common,
    change: "Compute the HMAC over the body of this request, not over a fixed text or only part of it.",
    run: refuses("a batch with the signature of the body []", (secret) => signBody(secret, otherBody)),
  },
  {
    id: "signature-upper-case",
    title: "accepts a signature in upper case",
    ...common,
    severity: "should",
    rule: "The signature is a hexadecimal string; its case is not specified. The platform of today writes lower case.",
    change: "Decode the header from hexadecimal and compare the bytes, not the texts.",
    run: acceptsUpperCase,
  },
];
