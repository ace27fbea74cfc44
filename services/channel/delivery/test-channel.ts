import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Clock } from "../../../base/async/clock.ts";
import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type {
  TestChannelResponseSchema,
  VerdictSchema,
} from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { AudienceSource } from "../audience/source.ts";
import { compileElement, type Element } from "../content/element.ts";
import { propertyText } from "../content/property-text.ts";
import { compileReceipts } from "../content/receipts.ts";
import { sampleContent } from "../content/sample.ts";
import type { TestRequest } from "../ports.ts";
import { defaultSignatureHeader } from "../signing.ts";
import { attempt } from "./attempt.ts";
import { compileSendPlan } from "./send-plan.ts";
import type { OpenedExchange } from "./sender.ts";
import { judgeOutcome, type Validation } from "./verdict.ts";

export interface TestOptions {
  readonly audience: AudienceSource;
  readonly openExchange: (url: string) => OpenedExchange;
  readonly newRequestId: () => string;
  readonly clock: Clock;
}

/** Ids of receipts by which nothing is counted. */
const testIds = { kind: "task", taskId: "test", taskInstanceId: "test", execDetailId: "test" } as const;
const maxShownAnswer = 16_384;
const masked = "***";

/** Sends one real message, as a batch of one. @throws the signal's reason when the caller has gone */
export async function testChannel(
  { channel, pushId, content }: TestRequest,
  options: TestOptions,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof TestChannelResponseSchema>> {
  const { clock, openExchange, newRequestId } = options;
  const ids = { projectId: Number(channel.projectId), origin: testIds, groupId: "", language: "" };
  const element = compileElement(channel, sampleContent(channel, content));
  const texts = await textsOf(element, channel, pushId, options, signal);
  const text = `[${element.write(pushId, texts, compileReceipts(ids)(newRequestId()))}]`;
  const body = Buffer.from(text);
  const plan = compileSendPlan(channel);
  const headers = plan.headers(body);
  using open = openExchange(channel.url);
  const began = clock.monotonicMs();
  const result = await attempt(open.exchange, { headers, body, timeoutMs: plan.timeoutMs }, clock, signal);
  signal.throwIfAborted();
  const verdictOf = (validation: Validation) => showVerdict(judgeOutcome(result, 1, validation));
  return {
    requestHeaders: maskHeaders(headers, channel),
    requestBody: text,
    signature: channel.authentication ? headers[signatureHeaderOf(channel)]! : "",
    status: result.kind === "answer" ? result.status : 0,
    responseBody: result.kind === "answer" ? result.text.slice(0, maxShownAnswer).toWellFormed() : "",
    durationMs: Math.round(clock.monotonicMs() - began),
    strict: verdictOf("strict"),
    lenient: verdictOf("lenient"),
  };
}

/** The values of the user with that push id; of an unknown one there are none. */
async function textsOf(
  { properties }: Element,
  { projectId, pushIdProperty }: Channel,
  pushId: string,
  { audience }: TestOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (properties.length === 0) return [];
  const request = { projectId: Number(projectId), pushIdProperty, pushIds: [pushId], properties };
  const found = (await audience.lookup(request, signal)).get(pushId);
  return properties.map((name) => propertyText(found?.[name]));
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

function showVerdict(verdict: ReturnType<typeof judgeOutcome>): MessageInitShape<typeof VerdictSchema> {
  if (verdict.kind === "failed") {
    const { reason, message } = verdict;
    return { succeeded: false, reason, message: message.toWellFormed(), warnings: [] };
  }
  const warnings = [...verdict.warnings];
  const [failed] = verdict.failed;
  if (failed === undefined) return { succeeded: true, warnings };
  return { succeeded: false, reason: "rejected", message: failed.message.toWellFormed(), warnings };
}
