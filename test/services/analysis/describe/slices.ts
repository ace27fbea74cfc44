import type { EventUserQuery } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { EventUserQuerySchema } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import { compileUserScan } from "../../../../services/analysis/describe/user-slice.ts";
import { readBody } from "../rest/read-body.ts";
import { type Asked, bodyOf, describe, projectOf } from "./described.ts";

export const byBrand = { groupBy: [{ columnName: "brand", tableType: "event" }] };

export function slice(asked: Asked, sliceDate: string, sliceGroupVal: unknown[], eventIndex = 0) {
  const body = { ...bodyOf(asked), sliceDate, sliceGroupVal, eventIndex };
  const { query } = readBody(EventUserQuerySchema, body);
  return compileUserScan(describe(asked, projectOf({}, "Europe/Berlin")), query as EventUserQuery);
}
