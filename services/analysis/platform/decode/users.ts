import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import type { EventUserQuery } from "../../../../gen/engage/analysis/v1/query_pb.ts";
import {
  type User,
  type UserList,
  UserListSchema,
  UserSchema,
} from "../../../../gen/engage/analysis/v1/result_pb.ts";
import { refuseUnreadable } from "./analysis.ts";
import { createInfo } from "./result-info.ts";

/** Decodes the `data` of a user list. @throws AnalysisRefusal INTERNAL if it has another form */
export function decodeUsers(data: unknown, query: EventUserQuery): UserList {
  if (!isMembers(data) || !Array.isArray(data["datalist"]))
    throw refuseUnreadable("data.datalist is not a list of users");
  const columMeta = data["columMeta"];
  const datalist = data["datalist"].map((user: unknown, i) => {
    if (!isMembers(user)) throw refuseUnreadable(`data.datalist[${i}] is not an object`);
    return decodeUser(user as JsonObject);
  });
  const names = isMembers(columMeta) ? Object.entries(columMeta) : [];
  return create(UserListSchema, {
    datalist,
    columMeta: Object.fromEntries(names.map(([name, text]) => [name, textOf(text) ?? name])),
    info: createInfo(query.zoneOffset, data, data["truncated"] === true, []),
  });
}

function decodeUser(user: JsonObject): User {
  const { "#user_id": userId, "#account_id": accountId, "#distinct_id": distinctId, ...properties } = user;
  const account = textOf(accountId);
  const distinct = textOf(distinctId);
  return create(UserSchema, {
    userId: textOf(userId) ?? "",
    ...(account !== undefined && { accountId: account }),
    ...(distinct !== undefined && { distinctId: distinct }),
    properties,
  });
}

/** Returns undefined for no value. */
function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  return typeof value === "object" ? JSON.stringify(value) : String(value as JsonValue);
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
