import { expectAccepted, formatMs } from "../judge.ts";
import { encodeMessages, goodMessages, type Message } from "../message.ts";
import { type Finding, failed, type Probe, passed } from "../probe.ts";
import type { SendOptions, Session } from "../session.ts";

type Write = (messages: readonly Message[]) => string;

/** Sends a fresh batch of one message in another form of JSON; it is signed as it is sent. */
function takes(
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

/** Slashes and every other character of the texts as escapes. */
const escaped: Write = (messages) =>
  JSON.stringify(messages)
    .replaceAll("/", "\\/")
    .replaceAll("test", "\\u0074\\u0065st")
    .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Texts of several scripts, one beyond the basic plane, and a slash. */
const foreign = { params: { title: "活动 – Ünïcödé – 🎁", content: "test 1/2, שלום" } };

const sameBytes =
  "The signature is computed over the exact body text, and the receiver computes it over the body it received.";
const rawBody =
  "Verify the raw bytes as they came, before a framework parses them; a body that was parsed and written again has other bytes.";

async function takesSlowBody(session: Session): Promise<Finding> {
  const body = encodeMessages(goodMessages(session, 2));
  const { slowBodyMs } = session.options;
  const writing = { bytesPerSecond: Math.ceil((body.length * 1_000) / slowBodyMs) };
  const what = `a batch whose body takes ${formatMs(slowBodyMs)} to arrive`;
  return expectAccepted(await session.send(body, { what, size: 2, writing }));
}

async function answersOtherType(session: Session): Promise<Finding> {
  const body = encodeMessages(goodMessages(session, 1));
  const what = "a batch sent as Content-Type text/plain";
  const exchanged = await session.send(body, { what, size: 1, contentType: "text/plain" });
  const { outcome } = exchanged;
  if (outcome.kind !== "answer") return failed(exchanged, `there was no answer: ${outcome.message}`);
  return outcome.status < 500
    ? passed(`HTTP ${outcome.status}`)
    : failed(exchanged, `HTTP ${outcome.status}`);
}

/** The same meaning in other bytes. */
export const bodyProbes: readonly Probe[] = [
  {
    id: "body-spaces",
    title: "takes JSON with spaces and line ends",
    severity: "must",
    rule: sameBytes,
    change: rawBody,
    after: ["accept"],
    run: takes("an indented batch with CR LF and blanks around it", indented),
  },
  {
    id: "body-escapes",
    title: "takes JSON with escapes",
    severity: "must",
    rule: sameBytes,
    change: rawBody,
    after: ["accept"],
    run: takes("a batch whose texts are written with \\u and \\/ escapes", escaped, foreign),
  },
  {
    id: "body-non-ascii",
    title: "takes texts in UTF-8",
    severity: "must",
    rule: sameBytes,
    change: "Read the body as UTF-8, and verify its bytes, not a text decoded by another character set.",
    after: ["accept"],
    run: takes("a batch with texts of several scripts in UTF-8", JSON.stringify, foreign),
  },
  {
    id: "slow-body",
    title: "waits for a slow body",
    severity: "should",
    rule: "The platform waits for an answer for 60 s by default, and up to an hour; it doesn't say how fast a body arrives.",
    change: "Let a request's body take some seconds.",
    after: ["accept"],
    run: takesSlowBody,
  },
  {
    id: "content-type-charset",
    title: "takes application/json with a charset",
    severity: "should",
    rule: "Content-Type is application/json; HTTP lets it carry parameters.",
    change: "Compare the media type without its parameters.",
    after: ["accept"],
    run: takes(
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
    title: "answers another Content-Type in order",
    severity: "info",
    rule: "Content-Type is always application/json; what becomes of another one is not specified.",
    change: "Take the batch, or refuse it with 415 and return_code 1.",
    after: ["accept"],
    run: answersOtherType,
  },
];
