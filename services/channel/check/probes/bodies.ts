import { expectAccepted, formatMs } from "../judge.ts";
import { encodeMessages, goodMessages, type Message } from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { SendOptions, Session } from "../session.ts";

type Write = (messages: readonly Message[]) => string;

/** Returns a probe that sends a new batch of one message in another form of JSON, signed as it is sent. */
function accepts(
  what: string,
  write: Write,
  more: Message = {},
  options: Partial<SendOptions> = {},
): (session: Session) => Promise<Finding> {
  return async (session) => {
    const body = Buffer.from(write(goodMessages(session, 1, more)));
    return expectAccepted(await session.send(body, { what, size: 1, ...options }));
  };
}

const indented: Write = (messages) =>
  `\n ${JSON.stringify(messages, null, "\t").replaceAll("\n", "\r\n")} \n`;

/** Writes slashes, some letters and all characters beyond ASCII as escapes. */
const escaped: Write = (messages) =>
  JSON.stringify(messages)
    .replaceAll("/", "\\/")
    .replaceAll("test", "\\u0074\\u0065st")
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Strings in several scripts, with a character beyond the basic plane and a slash. */
const foreign = { params: { title: "活动 – Ünïcödé – 🎁", content: "test 1/2, שלום" } };

const sameBytes =
  "The signature is computed over the exact body; the receiver computes it over the body as received.";
const rawBody =
  "Verify the raw bytes as received, before a framework parses them; a body that is parsed and written again has other bytes.";

async function acceptsSlowBody(session: Session): Promise<Finding> {
  const body = encodeMessages(goodMessages(session, 2));
  const { slowBodyMs } = session.options;
  const writing = { bytesPerSecond: Math.ceil((body.length * 1_000) / slowBodyMs) };
  const what = `a batch whose body takes ${formatMs(slowBodyMs)} to arrive`;
  return expectAccepted(await session.send(body, { what, size: 2, writing }));
}

async function handlesOtherType(session: Session): Promise<Finding> {
  const body = encodeMessages(goodMessages(session, 1));
  const what = "a batch sent as Content-Type text/plain";
  const exchanged = await session.send(body, { what, size: 1, contentType: "text/plain" });
  const { outcome } = exchanged;
  if (outcome.kind !== "response") return failed(exchanged, `no response: ${outcome.message}`);
  return outcome.status < 500
    ? passed(`HTTP ${outcome.status}`)
    : failed(exchanged, `HTTP ${outcome.status}`);
}

/** Probes that send the same messages in other bytes. */
export const bodyProbes: readonly Probe[] = [
  {
    id: "body-spaces",
    title: "accepts JSON with spaces and line ends",
    severity: "must",
    rule: sameBytes,
    change: rawBody,
    after: ["accept"],
    run: accepts("an indented batch with CR LF and spaces around it", indented),
  },
  {
    id: "body-escapes",
    title: "accepts JSON with escapes",
    severity: "must",
    rule: sameBytes,
    change: rawBody,
    after: ["accept"],
    run: accepts("a batch whose strings have \\u and \\/ escapes", escaped, foreign),
  },
  {
    id: "body-non-ascii",
    title: "accepts strings in UTF-8",
    severity: "must",
    rule: sameBytes,
    change: "Read the body as UTF-8, and verify its bytes, not a string decoded in another character set.",
    after: ["accept"],
    run: accepts("a batch with strings of several scripts in UTF-8", JSON.stringify, foreign),
  },
  {
    id: "slow-body",
    title: "waits for a slow body",
    severity: "should",
    rule: "The platform waits 60 s for a response by default, and up to an hour; how fast a body arrives is not specified.",
    change: "Allow a request's body to take some seconds.",
    after: ["accept"],
    run: acceptsSlowBody,
  },
  {
    id: "content-type-charset",
    title: "accepts application/json with a charset",
    severity: "should",
    rule: "Content-Type is application/json; HTTP allows parameters after it.",
    change: "Compare the media type without its parameters.",
    after: ["accept"],
    run: accepts(
      "a batch with a charset in its Content-Type",
      JSON.stringify,
      {},
      {
        contentType: "application/json; charset=utf-8",
      },
    ),
  },
  {
    id: "content-type-other",
    title: "handles another Content-Type",
    severity: "info",
    rule: "Content-Type is always application/json; the handling of another one is not specified.",
    change: "Accept the batch, or refuse it with HTTP 415 and return_code 1.",
    after: ["accept"],
    run: handlesOtherType,
  },
];
