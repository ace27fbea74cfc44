import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CheckReceiverRequestSchema } from "../../../../gen/engage/channel/v1/receiver_checker_pb.ts";

/** What a link contains: all of the form that cannot be secret. */
export interface Receiver {
  readonly url: string;
  /** Whether the channel signs its requests. */
  readonly isSigned: boolean;
  /** Empty: the standard header. */
  readonly signatureHeader: string;
  readonly badPushId: string;
  readonly projectId: string;
  readonly timeout: string;
  readonly rate: string;
  /** Ids of probes, with spaces between. */
  readonly skip: string;
}

/** What stays in the page. Headers often contain keys. */
export interface Secrets {
  readonly secret: string;
  readonly secondSecret: string;
  /** `Name: value` on each line. */
  readonly headers: string;
}

export const noSecrets: Secrets = { secret: "", secondSecret: "", headers: "" };

export function receiverOf(query: ReadonlyMap<string, string>): Receiver {
  const text = (name: string): string => query.get(name) ?? "";
  return {
    url: text("url"),
    isSigned: text("signed") !== "no",
    signatureHeader: text("header"),
    badPushId: text("bad"),
    projectId: text("project"),
    timeout: text("timeout"),
    rate: text("rate"),
    skip: text("skip"),
  };
}

export function queryOf(receiver: Receiver): Readonly<Record<string, string>> {
  return {
    url: receiver.url,
    signed: receiver.isSigned ? "" : "no",
    header: receiver.signatureHeader,
    bad: receiver.badPushId,
    project: receiver.projectId,
    timeout: receiver.timeout,
    rate: receiver.rate,
    skip: receiver.skip,
  };
}

/** A wrong number becomes 2147483647, which the server refuses by the name of its field. */
const wrongNumber = 2 ** 31 - 1;

export function requestOf(
  receiver: Receiver,
  { secret, secondSecret, headers }: Secrets,
): MessageInitShape<typeof CheckReceiverRequestSchema> {
  const { isSigned, signatureHeader } = receiver;
  return {
    url: receiver.url.trim(),
    ...(isSigned && { authentication: { secret, headerName: signatureHeader.trim() } }),
    ...(isSigned && { secondSecret }),
    customHeaders: headersIn(headers),
    knownBadPushId: receiver.badPushId,
    projectId: BigInt(numberIn(receiver.projectId)),
    timeoutSeconds: numberIn(receiver.timeout),
    requestsPerSecond: numberIn(receiver.rate),
    skippedProbes: wordsIn(receiver.skip),
  };
}

/**
 * Returns the lines of a text as headers. A line without a colon is a name without a value, which the server refuses.
 */
export function headersIn(text: string): { readonly name: string; readonly value: string }[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const end = line.includes(":") ? line.indexOf(":") : line.length;
      return { name: line.slice(0, end).trim(), value: line.slice(end + 1).trim() };
    });
}

function numberIn(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "") return 0;
  return /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : wrongNumber;
}

function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

/**
 * Returns the same check as a command for a shell. Files stand for secrets, and `...` for values of headers, so that
 * the text can be shared.
 */
export function commandOf(receiver: Receiver, { secondSecret, headers }: Secrets): string {
  const { isSigned, signatureHeader, badPushId, projectId, timeout, rate, skip } = receiver;
  const signing = [
    "--secret-file secret.txt",
    ...(secondSecret === "" ? [] : ["--second-secret-file second-secret.txt"]),
    ...option("header-name", signatureHeader.trim()),
  ];
  const skipped = wordsIn(skip).map(quote).join(" ");
  return [
    `npx engage-server check ${quote(receiver.url.trim())}`,
    ...(isSigned ? signing : ["--channel-has-auth off"]),
    ...headersIn(headers).map(({ name }) => `--header ${quote(`${name}: ...`)}`),
    ...option("known-bad-push-id", badPushId),
    ...option("project-id", projectId.trim()),
    `--timeout ${(numberIn(timeout) || defaultTimeoutSeconds) * 1_000}`,
    ...option("rate", rate.trim()),
    ...(skipped === "" ? [] : [`--skip ${skipped}`]),
  ].join(" ");
}

/** The default of the service; that of the command is longer. */
const defaultTimeoutSeconds = 10;

function option(name: string, value: string): readonly string[] {
  return value === "" ? [] : [`--${name} ${quote(value)}`];
}

/** Quotes a word for a POSIX shell if it needs quotes. */
function quote(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
