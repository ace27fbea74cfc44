import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { signBody } from "../../base/net/signature.ts";
import { exactCountOf } from "../../base/text/count.ts";
import type { BodyWriting, Exchange, ExchangeOutcome } from "../../services/channel/exchange/exchange.ts";
import { judgeOutcome, type Verdict } from "../../services/channel/judge-reply/judge-reply.ts";
import {
  headersOf,
  openReceiver,
  type ReceiverOptions,
  requireReceiverUrl,
  secretOf,
} from "../client/receiver.ts";
import { cannotRead } from "../terminal/file-fault.ts";
import { printable } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UsageError, UserError } from "../terminal/user-error.ts";
import { encodeBatch, type MessageOptions, sizeOf } from "./body.ts";

export interface SendCommandOptions extends ReceiverOptions, MessageOptions {
  readonly file?: string;
  readonly timeout: number;
  readonly duplicate: number;
  readonly concurrent?: true;
  readonly cut?: number;
  readonly slow?: number;
  readonly reserialise?: true;
  readonly wrongSecret?: true;
  /** `--no-signature` */
  readonly signature: boolean;
  readonly upperCase?: true;
  readonly contentType: string;
  readonly json?: true;
}

interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
}

interface Call {
  readonly outcome: ExchangeOutcome;
  readonly ms: number;
}

/** The command shows all that it sends and receives. */
const unmasked = (text: string): string => text;

/** Sends a batch, prints the strict and the lenient verdict, and resolves with the exit code. @throws UserError */
export async function runSend(url: string, options: SendCommandOptions, streams: Streams): Promise<number> {
  requireReceiverUrl(url);
  const signed = await bodyOf(options, streams.stdin);
  const body = options.reserialise ? rewrite(signed) : signed;
  const size = sizeOf(signed);
  const signature = signatureOf(signed, options);
  const own = { "content-type": options.contentType, ...headersOf(options) };
  const headers = signature === undefined ? own : { ...own, [options.headerName]: signature };
  using receiver = openReceiver(url, options, options.duplicate);
  const send = (): Promise<Call> => callOnce(receiver.exchange, headers, body, options);
  let isFailed = false;
  if (!options.json) streams.stdout.write(formatRequest(url, headers, body));
  const calls = options.concurrent ? Array.from({ length: options.duplicate }, send) : undefined;
  for (let number = 0; number < options.duplicate; number++) {
    const call = await (calls?.[number] ?? send());
    const strict = judgeOutcome(call.outcome, size, "strict", unmasked);
    const lenient = judgeOutcome(call.outcome, size, "lenient", unmasked);
    isFailed ||= strict.kind === "failed";
    writeForeign(
      streams.stdout,
      options.json
        ? `${JSON.stringify({ url, headers, body: text(body), ...call, strict, lenient })}\n`
        : formatResponse(call, strict, lenient),
    );
  }
  return isFailed ? 1 : 0;
}

async function callOnce(
  exchange: Exchange,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  { timeout, slow, cut }: SendCommandOptions,
): Promise<Call> {
  const writing: BodyWriting = {
    ...(slow !== undefined && { bytesPerSecond: slow }),
    ...(cut !== undefined && { stopAfterBytes: cut }),
  };
  const isUnusual = slow !== undefined || cut !== undefined;
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(timeout);
  const outcome = await exchange({ headers, body, signal, ...(isUnusual && { writing }) });
  return { outcome, ms: Math.round(performance.now() - startedMs) };
}

async function bodyOf(options: SendCommandOptions, stdin: NodeJS.ReadableStream): Promise<Buffer> {
  const { file, pushId = [] } = options;
  if (file === undefined) {
    if (pushId.length === 0) throw new UsageError("--file or --push-id is required");
    return encodeBatch(options);
  }
  if (file === "-") return buffer(stdin);
  try {
    return readFileSync(file);
  } catch (error) {
    throw cannotRead(file, error);
  }
}

/** Writes the same JSON with other bytes. */
function rewrite(body: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text(body)), null, 2));
  } catch {
    throw new UserError("--reserialise requires a body in JSON");
  }
}

function signatureOf(body: Uint8Array, options: SendCommandOptions): string | undefined {
  const secret = secretOf(options);
  const { signature: isSigned, wrongSecret, reserialise, upperCase } = options;
  if (secret === undefined && (wrongSecret || reserialise || upperCase)) {
    throw new UsageError("--wrong-secret, --reserialise and --upper-case require --secret");
  }
  if (secret === undefined || !isSigned) return undefined;
  const hex = signBody(wrongSecret ? `not ${secret}` : secret, body);
  return upperCase ? hex.toUpperCase() : hex;
}

/** Characters of a text that are shown. */
const maxShown = 2_000;

function formatRequest(url: string, headers: Readonly<Record<string, string>>, body: Uint8Array): string {
  const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${printable(value)}`);
  return [`POST ${url} (${exactCountOf(body.length, "byte")})`, ...lines, ...indent(text(body)), ""].join(
    "\n",
  );
}

function formatResponse({ outcome, ms }: Call, strict: Verdict, lenient: Verdict): string {
  const head =
    outcome.kind === "response"
      ? [`HTTP ${outcome.status} after ${ms} ms`, ...indent(outcome.text || "(no body)")]
      : [`no response after ${ms} ms: ${printable(outcome.message, maxShown)}`];
  return [...head, `  strict   ${formatVerdict(strict)}`, `  lenient  ${formatVerdict(lenient)}`, ""].join(
    "\n",
  );
}

function formatVerdict(verdict: Verdict): string {
  if (verdict.kind === "failed") {
    const retry = verdict.isRetryable ? "would be retried" : "would not be retried";
    return `call failed (${verdict.reason}, ${retry}): ${printable(verdict.message, maxShown)}`;
  }
  const failed = verdict.failed.map(({ index, message }) =>
    `${index} ${printable(message, maxShown)}`.trimEnd(),
  );
  return [
    failed.length === 0 ? "all succeeded" : `${failed.length} failed: ${failed.join("; ")}`,
    ...verdict.warnings.map((warning) => `warning: ${printable(warning, maxShown)}`),
  ].join("; ");
}

function indent(text: string): string[] {
  return text.split("\n").map((line) => `  ${printable(line, maxShown)}`);
}

function text(body: Uint8Array): string {
  return Buffer.from(body).toString("utf8");
}
