import { Code } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import { quoteText } from "../../base/text/quote.ts";
import { refuse } from "../call/refusals.ts";
import type { NodeRequest } from "../http/port.ts";
import type { ServedMethod } from "../methods.ts";
import { encodeError } from "../rest/status.ts";

/** Says which content types a method takes: the library refuses others by the status alone. */
export function explainUnsupported(
  answer: UniversalServerResponse,
  { headers }: NodeRequest,
  { spec }: ServedMethod,
): UniversalServerResponse {
  if (answer.status !== 415 || answer.body !== undefined) return answer;
  const given = headers["content-type"];
  const fault =
    given === undefined ? "the content-type is missing" : `content-type ${quoteText(given)} is not supported`;
  const valid = spec.kind === "unary" ? unaryTypes : streamTypes;
  const error = refuse("UNSUPPORTED_MEDIA_TYPE", Code.InvalidArgument, `${fault}, valid are ${valid}`);
  const { body } = encodeError(error);
  const bytes = Buffer.from(body);
  const header = new Headers(answer.header);
  header.set("content-type", "application/json");
  header.set("content-length", String(bytes.length));
  return { ...answer, header, body: once(bytes) };
}

const grpcTypes = "those of gRPC and gRPC-Web";
const unaryTypes = `application/json, application/proto and ${grpcTypes}`;
const streamTypes = `application/connect+json, application/connect+proto and ${grpcTypes}`;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
