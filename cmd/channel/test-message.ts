import { create } from "@bufbuild/protobuf";
import { quoteText } from "../../base/text/quote.ts";
import type { Channel } from "../../gen/engage/channel/v1/channel_pb.ts";
import {
  type TestChannelResponse,
  TestChannelResponseSchema,
  type Verdict,
} from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { type Content, ContentSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { findChannel } from "../client/find-channel.ts";
import { withSetTexts } from "../client/set-texts.ts";
import { decodeContent } from "../serve/channel/task-file.ts";
import { writeJson } from "../terminal/messages.ts";
import { readInput } from "../terminal/read-input.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UsageError } from "../terminal/user-error.ts";
import type { ChannelClient, ChannelOutput } from "./channel.ts";
import { readChannel } from "./read-channel.ts";

export interface TestOptions {
  readonly to: string;
  /** A channel that need not be saved. */
  readonly file?: string;
  /** File with the values of the content. */
  readonly content?: string;
  /** `field=text` of the content. */
  readonly set?: readonly string[];
}

/**
 * Sends one message through a channel and prints the request, the response and the verdict. Resolves with the exit
 * code: 1 when the message does not count as sent.
 * @throws UserError
 */
export async function testChannel(
  client: ChannelClient,
  given: string | undefined,
  options: TestOptions,
  output: ChannelOutput,
): Promise<number> {
  if ((given === undefined) === (options.file === undefined))
    throw new UsageError("give the id or name of a channel, or --file");
  const channel =
    given === undefined
      ? await readChannel({ file: options.file, stored: undefined }, {}, output.stdin)
      : await findChannel(client, given);
  const content = await readContent(options, output.stdin);
  const response = await client.testChannel({
    ...(given === undefined ? { channel } : { channelId: channel.channelId }),
    pushId: options.to,
    ...(content !== undefined && { content }),
  });
  const isStrict = channel.delivery?.strictValidation ?? true;
  const verdict = isStrict ? response.strict : response.lenient;
  if (output.json) writeJson(output.stdout, TestChannelResponseSchema, [response]);
  else writeForeign(output.stdout, formatResponse(channel, response, isStrict));
  return verdict?.succeeded === true ? 0 : 1;
}

async function readContent(
  { content: file, set }: TestOptions,
  stdin: NodeJS.ReadableStream,
): Promise<Content | undefined> {
  if (file === undefined && set === undefined) return undefined;
  const input = file === undefined ? undefined : await readInput(file, stdin);
  const content =
    input === undefined
      ? create(ContentSchema, { language: "default" })
      : decodeContent(input.name, input.text);
  return withSetTexts([content], set ?? [])[0];
}

function formatResponse({ url }: Channel, response: TestChannelResponse, isStrict: boolean): string {
  const { requestHeaders, requestBody, status, responseBody, durationMs, strict, lenient } = response;
  const headers = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}\n`);
  const head = status === 0 ? `no response in ${durationMs} ms` : `${status} in ${durationMs} ms`;
  const used = isStrict ? "" : ", which this channel uses";
  return [
    `POST ${url}\n${headers.join("")}\n${requestBody}\n\n`,
    `${head}\n${responseBody === "" ? "" : `${responseBody}\n`}\n`,
    `with strict validation${isStrict ? ", which this channel uses" : ""}: ${describeVerdict(strict)}\n`,
    `without it${used}: ${describeVerdict(lenient)}\n`,
  ].join("");
}

function describeVerdict(verdict: Verdict | undefined): string {
  if (verdict === undefined) return "unknown";
  const { succeeded, reason, message, warnings } = verdict;
  const head = succeeded
    ? "succeeded"
    : `failed, ${reason}${message === "" ? "" : `: ${quoteText(message)}`}`;
  return [head, ...warnings.map((warning) => `  warning: ${warning}`)].join("\n");
}
