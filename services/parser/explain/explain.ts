import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { InvalidFieldsError, refuseField } from "../../../base/rpc/invalid-fields.ts";
import { createErrorMapping, retryLater } from "../../../base/rpc/map-errors.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import {
  type ExplainRequest,
  ExplainResponseSchema,
  Framing as FramingValue,
  type ParserExplainer,
} from "../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import type { ParserConfig } from "../config.ts";
import { type Framing, framings } from "../line/framing.ts";
import { framingOfProtocol } from "../parser.ts";
import { type ExplainableContent, framingValues } from "./explain-batch.ts";

/** What to explain; plain data, so that it can be sent to a thread. */
export interface ExplainTask extends ExplainableContent {
  /** Name of the format of all lines; undefined to select formats by index. */
  readonly format?: string | undefined;
  /** Formats that replace the configured ones, as text of a configuration. */
  readonly inlineFormats?: string | undefined;
}

export type ExplainOutcome =
  | { readonly kind: "explained"; readonly response: MessageInitShape<typeof ExplainResponseSchema> }
  | { readonly kind: "invalid"; readonly violations: readonly Violation[] }
  | { readonly kind: "unknown_format"; readonly message: string };

/** Why a content could not be explained. */
export type ExplainFault = "busy" | "too_long" | "crashed";

/** Thrown by the port when it cannot explain a content. */
export class ExplainError extends Error {
  override readonly name = "ExplainError";
  readonly fault: ExplainFault;

  constructor(fault: ExplainFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

export interface ParserExplainerOptions {
  readonly config: Pick<ParserConfig, "framing">;
  /**
   * Explains a content without holding up other calls, in bounded time and memory.
   * @throws ExplainError, or the signal's reason
   */
  readonly explain: (task: ExplainTask, signal: AbortSignal) => Promise<ExplainOutcome>;
}

export const maxContentBytes = 262_144;
export const maxInlineBytes = 65_536;

/** Largest request, which has Base64 and escapes over REST. */
export const maxExplainBytes = 1_048_576;

/** The ParserExplainer service. It uses the same parser as `createParser`, and changes nothing. */
export function createParserExplainer(options: ParserExplainerOptions): ServiceImpl<typeof ParserExplainer> {
  return {
    explain: (request, context) =>
      mapErrors(async () => {
        const outcome = await options.explain(taskOf(request, context, options.config), context.signal);
        if (outcome.kind === "invalid") throw new InvalidFieldsError(outcome.violations);
        if (outcome.kind === "unknown_format") throw new ConnectError(outcome.message, Code.NotFound);
        return create(ExplainResponseSchema, outcome.response);
      }).catch(toConnectError),
  };
}

function taskOf(
  { content, framing, index, formats }: ExplainRequest,
  { protocolName }: HandlerContext,
  config: Pick<ParserConfig, "framing">,
): ExplainTask {
  if (content.length > maxContentBytes)
    refuseField("content", `has ${content.length} bytes, valid are at most ${maxContentBytes}`);
  const batch = { content, framing: framingOf(framing) ?? framingOfProtocol(protocolName, config), index };
  if (formats.case === "format") return { ...batch, format: formats.value };
  if (formats.case === undefined) return batch;
  const bytes = Buffer.byteLength(formats.value);
  if (bytes > maxInlineBytes)
    refuseField("inline_formats", `has ${bytes} bytes, valid are at most ${maxInlineBytes}`);
  return { ...batch, inlineFormats: formats.value };
}

function framingOf(value: FramingValue): Framing | undefined {
  if (value === FramingValue.UNSPECIFIED) return undefined;
  const found = framings.find((framing) => framingValues[framing] === value);
  return found ?? refuseField("framing", `is ${value}, valid are the numbers of ${framings.join(", ")}`);
}

const { mapErrors } = createErrorMapping(() => undefined);

const retryMs = 1_000;

function toConnectError(error: unknown): never {
  if (!(error instanceof ExplainError)) throw error;
  const { fault, message } = error;
  if (fault === "busy") throw retryLater(message, retryMs, { cause: error });
  const code = fault === "too_long" ? Code.DeadlineExceeded : Code.ResourceExhausted;
  throw new ConnectError(message, code, undefined, undefined, error);
}
