import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Clock } from "../../../base/async/clock.ts";
import { ownHeaders } from "../../../base/net/http-client.ts";
import { defaultSignatureHeader } from "../../../base/net/signature.ts";
import { masked } from "../../../base/text/mask-secrets.ts";
import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type {
  TestChannelResponseSchema,
  VerdictSchema,
} from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { AudienceSource } from "../audience/source.ts";
import { compileElement } from "../content/element.ts";
import { sampleContent } from "../content/sample.ts";
import { judgeOutcome, type Validation, type Verdict } from "../judge-reply/judge-reply.ts";
import type { TestRequest } from "../ports.ts";
import { attempt } from "./call/attempt.ts";
import { Deadlines } from "./call/deadlines.ts";
import { compileSendPlan } from "./call/send-plan.ts";
import type { OpenedExchange } from "./sender.ts";
import { readTexts, writeTestReceipts } from "./test-message.ts";

export interface TestOptions {
  readonly audience: AudienceSource;
  readonly openExchange: (url: string) => OpenedExchange;
  readonly newRequestId: () => string;
  readonly clock: Clock;
}

const maxShownBody = 16_384;

/** Sends one real message, as a batch of one. @throws the reason of `signal` */
export async function testChannel(
  { channel, pushId, content }: TestRequest,
  options: TestOptions,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof TestChannelResponseSchema>> {
  const { clock, openExchange, newRequestId } = options;
  const element = compileElement(channel, sampleContent(channel, content));
  const texts = await readTexts(element.properties, { channel, pushId }, options.audience, signal);
  const text = `[${element.write(pushId, texts, writeTestReceipts(channel, newRequestId()))}]`;
  const body = Buffer.from(text);
  const plan = compileSendPlan(channel);
  const headers = plan.headers(body);
  using open = openExchange(channel.url);
  const began = clock.monotonicMs();
  const ending = new AbortController();
  const cancel = (): void => ending.abort(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener("abort", cancel, { once: true });
  const request = { headers, body, timeoutMs: plan.timeoutMs };
  const result = await attempt(open.exchange, request, new Deadlines(clock), ending).finally(() =>
    signal.removeEventListener("abort", cancel),
  );
  signal.throwIfAborted();
  const { mask } = plan;
  const verdictOf = (validation: Validation) => showVerdict(judgeOutcome(result, 1, validation, mask));
  return {
    requestHeaders: maskHeaders({ ...ownHeaders(headers), ...headers }, channel),
    requestBody: text,
    signature: channel.authentication ? headers[signatureHeaderOf(channel)]! : "",
    status: result.kind === "response" ? result.status : 0,
    responseBody: result.kind === "response" ? mask(result.text).slice(0, maxShownBody).toWellFormed() : "",
    durationMs: Math.round(clock.monotonicMs() - began),
    strict: verdictOf("strict"),
    lenient: verdictOf("lenient"),
  };
}

function signatureHeaderOf({ authentication }: Channel): string {
  return authentication?.headerName || defaultSignatureHeader;
}

function maskHeaders(
  headers: Readonly<Record<string, string>>,
  { customHeaders }: Channel,
): Record<string, string> {
  const secret = new Set(customHeaders.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.has(name) ? masked : value]),
  );
}

function showVerdict(verdict: Verdict): MessageInitShape<typeof VerdictSchema> {
  if (verdict.kind === "failed") {
    const { reason, message } = verdict;
    return { succeeded: false, reason, message: message.toWellFormed(), warnings: [] };
  }
  const warnings = [...verdict.warnings];
  const [failed] = verdict.failed;
  if (failed === undefined) return { succeeded: true, warnings };
  return { succeeded: false, reason: "rejected", message: failed.message.toWellFormed(), warnings };
}
