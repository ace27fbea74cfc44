import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { defaultLimits } from "../../../../gateway/limits.ts";
import { parseJson } from "../../../../gateway/rest/json-text.ts";
import { decodeQueryBody, originOf } from "../../../../services/analysis/rest/query-body.ts";
import { queryBounds } from "../../../../services/analysis/rest/query-bounds.ts";

const bounds = { ...defaultLimits.json, ...queryBounds };

/** Reads a body as the gateway has it read; `refused` is what the caller would be told. */
export function readBody<Desc extends DescMessage>(
  desc: Desc,
  body: unknown,
): { readonly query: MessageShape<Desc>; readonly refused: string | undefined } {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const raw = Buffer.from(text);
  const query = decodeQueryBody(desc, { raw, json: () => parseJson(raw, bounds) });
  return { query: query as MessageShape<Desc>, refused: originOf(query)?.refusal?.message };
}
