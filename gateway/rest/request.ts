import { create, type DescMessage, type JsonValue } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { JsonBoundsScan, type ScannedJson } from "../../base/json/bounds.ts";
import type { Standing } from "../../base/rpc/request-head.ts";
import type { DecodedBody, RestCodec, RestCodecs } from "../../base/rpc/rest-codec.ts";
import type { Violation } from "../../base/rpc/violation.ts";
import { quoteText } from "../../base/text/quote.ts";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.ts";
import type { Call } from "../call/call.ts";
import { refuse } from "../call/refusals.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { OpenScan } from "../http/body.ts";
import type { CallerHead } from "../http/request-head.ts";
import { jsonBoundsOf } from "../limits.ts";
import { isForeignContract } from "../methods.ts";
import type { BoundVariable, RestBinding } from "./bindings.ts";
import { compileJsonText, placeIn } from "./json-message.ts";
import { parseJson, readJsonText } from "./json-text.ts";
import { readVariable } from "./path/template.ts";
import { compileQuery, queryValue } from "./query.ts";
import { badRequest } from "./violations.ts";

/** An HTTP request as its message is read from it. */
export interface RestInput {
  readonly body: Buffer;
  /** The result of the scan that `openScan` opened. */
  readonly scanned: ScannedJson | undefined;
  readonly contentType: string | undefined;
  /** The segments of the path, percent-encoded. */
  readonly segments: readonly string[];
  /** The query after the question mark. */
  readonly query: string;
}

type ReadRequest = (input: RestInput) => DecodedBody;

/** How a binding reads its requests. */
export interface RequestReader {
  /** Opens the scan of a body. */
  readonly openScan: OpenScan;
  /** Throws INVALID_ARGUMENT. */
  readonly read: ReadRequest;
}

/**
 * How a binding reads its message: the body first, then the path, which wins
 * over what the body says, then the query.
 */
export function compileRequest(
  binding: RestBinding,
  codecs: RestCodecs,
  gateway: GatewayContext,
): RequestReader {
  const readBody = compileBody(binding, codecs, gateway);
  const bindQuery = compileQuery(binding);
  const { variables } = binding;
  const bounds = jsonBoundsOf(gateway.limits, binding.served);
  const isJson = readsJson(binding, codecs);
  const openScan: OpenScan = () => (isJson ? new JsonBoundsScan(bounds) : undefined);
  const read: ReadRequest = (input) => {
    const decoded = readBody(input);
    if (variables.length === 0 && input.query === "") return decoded;
    const { message } = decoded;
    const violations: Violation[] = [];
    for (const { variable, parameter } of variables) {
      const text = readVariable(variable, input.segments);
      const problem = text === undefined ? "has a malformed percent escape" : parameter.bind(message, [text]);
      if (problem !== undefined)
        violations.push({ field: parameter.name, description: problem, reason: "INVALID_VALUE" });
    }
    if (input.query !== "") violations.push(...bindQuery(message, input.query));
    if (violations.length > 0) throw badRequest(violations);
    return decoded;
  };
  return { openScan, read };
}

function readsJson(binding: RestBinding, codecs: RestCodecs): boolean {
  if (binding.body === undefined) return false;
  const { typeName = "" } = typeOfBody(binding) ?? {};
  if (typeName === HttpBodySchema.typeName) return false;
  const codec = [binding.served.desc.input.typeName, typeName]
    .map((name) => codecs.get(name))
    .find(canDecode);
  return codec?.readsRaw !== true;
}

function canDecode(codec: RestCodec | undefined): boolean {
  return codec?.decode !== undefined;
}

/** Returns the type of the message that the body holds; undefined for other fields. */
function typeOfBody({ body, served }: RestBinding): DescMessage | undefined {
  if (body === "*") return served.desc.input;
  return body?.fieldKind === "message" ? body.message : undefined;
}

function compileBody(binding: RestBinding, codecs: RestCodecs, gateway: GatewayContext): ReadRequest {
  const { body, served } = binding;
  const { input } = served.desc;
  const bounds = jsonBoundsOf(gateway.limits, served);
  const isForeign = isForeignContract(served);
  const unknown = isForeign ? "ignore" : gateway.unknownMembers;
  if (body === undefined) return () => ({ message: create(input) });
  const type = typeOfBody(binding);
  const field = body === "*" ? undefined : body;
  if (type?.typeName === HttpBodySchema.typeName) {
    return ({ body: data, contentType = "" }) => ({
      message: placeIn(input, field, create(HttpBodySchema, { contentType, data })),
    });
  }
  const ownCodec = codecs.get(input.typeName)?.decode;
  const decode = ownCodec ?? (type && codecs.get(type.typeName)?.decode);
  if (decode !== undefined) {
    return ({ body: raw, contentType, scanned }) => {
      requireJson(contentType, isForeign);
      const json = (): JsonValue => parseJson(raw, bounds, scanned);
      const decoded = decode({ raw, field: field?.name ?? "*", json });
      if (ownCodec !== undefined || field === undefined) return decoded;
      return { message: placeIn(input, field, decoded.message), attachment: decoded.attachment };
    };
  }
  const readText = compileJsonText(input, field, unknown);
  return ({ body: raw, contentType, scanned }) => {
    requireJson(contentType, isForeign);
    return { message: readText(readJsonText(raw, bounds, scanned)) };
  };
}

/**
 * Parameters other than the charset do not matter. A page may send a body without
 * a content type to any server, so it is taken for JSON only where the contract
 * of others has to be kept.
 */
function requireJson(contentType: string | undefined, isForeign: boolean): void {
  if (contentType === "application/json") return;
  if (contentType === undefined) {
    if (isForeign) return;
    const message = "the content-type is missing, valid is application/json in UTF-8";
    throw refuse("UNSUPPORTED_MEDIA_TYPE", Code.InvalidArgument, message);
  }
  const [type, ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  if (type === "application/json" && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))) return;
  const message = `content-type ${quoteText(contentType)} is not supported, valid is application/json in UTF-8`;
  throw refuse("UNSUPPORTED_MEDIA_TYPE", Code.InvalidArgument, message);
}

/** Asks the method who calls; `segments` and `query` are those of the request. Undefined: every caller is known. */
export type AdmitRequest = (call: Call, segments: readonly string[], query: string) => Standing;

export function compileAdmit({ served, variables }: RestBinding): AdmitRequest | undefined {
  const { admit } = served;
  return admit && ((call, segments, query) => admit(headOf(call, variables, segments, query)));
}

function headOf(
  call: Call,
  variables: readonly BoundVariable[],
  segments: readonly string[],
  query: string,
): CallerHead {
  return {
    header: call.requestHeader,
    caller: call.record.caller,
    path(field) {
      const bound = variables.find(({ parameter }) => parameter.name === field);
      return bound && readVariable(bound.variable, segments);
    },
    query: (name) => queryValue(query, name),
  };
}
