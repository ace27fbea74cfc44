import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import type { WriteStream } from "node:tty";
import { SingleBar } from "cli-progress";
import { knownNames } from "../../base/text/known-names.ts";
import { quoteText } from "../../base/text/quote.ts";
import { checkReceiver, isBroken, type ProbeResult, probeIds } from "../../services/channel/check/check.ts";
import {
  headersOf,
  openReceiver,
  type ReceiverOptions,
  requireReceiverUrl,
  secretOf,
} from "../client/receiver.ts";
import { cannotWrite } from "../terminal/file-fault.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UsageError } from "../terminal/user-error.ts";
import { formatJunit } from "./junit.ts";
import { formatReport } from "./report.ts";

export interface CheckCommandOptions extends ReceiverOptions {
  readonly channelHasAuth: "on" | "off";
  readonly secondSecret?: string;
  readonly secondSecretFile?: string;
  readonly knownBadPushId?: string;
  readonly projectId: number;
  readonly timeout: number;
  readonly rate: number;
  readonly slowBody: number;
  readonly skip?: readonly string[];
  readonly strict?: true;
  readonly json?: true;
  readonly junit?: string;
}

interface Streams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Concurrent requests of the load probe. */
const concurrency = 32;

/** Grades a receiver, prints the report, and resolves with the exit code. @throws UsageError */
export async function runCheck(
  url: string,
  options: CheckCommandOptions,
  { stdout, stderr }: Streams,
): Promise<number> {
  requireReceiverUrl(url);
  const { strict = false, skip = [], rate, json, junit } = options;
  const secret = secretToSign(options);
  const secondSecret = secondSecretOf(options, secret);
  const unknown = skip.find((id) => !probeIds.includes(id));
  if (unknown !== undefined) {
    throw new UsageError(`--skip is ${quoteText(unknown)}, ${knownNames(unknown, probeIds)}`);
  }
  using receiver = openReceiver(url, options, concurrency);
  const progress = startProgress(stderr, stdout);
  const results = await checkReceiver(
    {
      exchange: receiver.exchange,
      secret,
      secondSecret,
      signatureHeader: options.headerName,
      headers: headersOf(options),
      projectId: options.projectId,
      timeoutMs: options.timeout,
      skip,
      knownBadPushId: options.knownBadPushId,
      slowBodyMs: options.slowBody,
      throughput: { perSecond: rate, requests: 3 * rate, maxMs: 6_000, concurrency },
      monotonicMs: () => performance.now(),
      randomId: randomUUID,
      signal: new AbortController().signal,
    },
    progress.done,
  );
  progress.stop();
  const isRight = !results.some((result) => isBroken(result, strict));
  writeForeign(stdout, json ? `${JSON.stringify({ url, isRight, results })}\n` : formatReport(results));
  if (junit !== undefined) writeReport(junit, formatJunit(url, results, strict));
  return isRight ? 0 : 1;
}

function writeReport(file: string, report: string): void {
  try {
    writeFileSync(file, report);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/** A missing secret must be deliberate, since signatures are not checked without one. */
function secretToSign(options: CheckCommandOptions): string | undefined {
  const secret = secretOf(options);
  if (options.channelHasAuth === "off") {
    if (secret !== undefined) throw new UsageError("--channel-has-auth off cannot be combined with a secret");
    return undefined;
  }
  if (!secret) throw new UsageError("--secret, --secret-file or --channel-has-auth off is required");
  return secret;
}

function secondSecretOf(options: CheckCommandOptions, secret: string | undefined): string | undefined {
  const { secondSecret, secondSecretFile } = options;
  const second = secretOf({ secret: secondSecret, secretFile: secondSecretFile });
  if (second === undefined) return undefined;
  if (secret === undefined)
    throw new UsageError("--channel-has-auth off cannot be combined with a second secret");
  if (second === "" || second === secret)
    throw new UsageError("the second secret is empty or the same as the first");
  return second;
}

function startProgress(stderr: Streams["stderr"], { isTTY }: Streams["stdout"]) {
  if (stderr.isTTY !== true || isTTY !== true) return { done: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    stream: stderr as WriteStream,
    format: "{bar} {value} of {total} | {title}",
    clearOnComplete: true,
  });
  bar.start(probeIds.length, 0, { title: "" });
  return { done: ({ title }: ProbeResult) => bar.increment(1, { title }), stop: () => bar.stop() };
}
