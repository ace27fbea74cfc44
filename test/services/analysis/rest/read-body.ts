import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { defaultLimits } from "../../../../gateway/limits.ts";
import { parseJson } from "../../../../gateway/rest/json-text.ts";
import {
  decodeQueryBody,
  type QueryOrigin,
  queryBounds,
} from "../../../../services/analysis/rest/query-body.ts";

const bounds = { ...defaultLimits.json, ...queryBounds };

interface ReadBody<Desc extends DescMessage> {
  readonly query: MessageShape<Desc>;
  readonly origin: QueryOrigin;
  readonly refused: string | undefined;
}

/** Reads a body as the gateway does; `refused` is the error of the caller. */
export function readBody<Desc extends DescMessage>(desc: Desc, body: unknown): ReadBody<Desc> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const raw = Buffer.from(text);
  const { message, attachment } = decodeQueryBody(desc, { raw, json: () => parseJson(raw, bounds) });
  return {
    query: message as MessageShape<Desc>,
    origin: attachment,
    refused: attachment.refusal?.message,
  };
}
