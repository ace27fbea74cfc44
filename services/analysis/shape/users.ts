import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ListValueSchema, NullValue, StructSchema, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { toExactJson } from "../../../base/json/exact-numbers.ts";
import { type UserRow, UserRowSchema } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { type User, UserSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { ProjectSchema, Property, StoredUser, UserValues } from "../../../store/events/events.ts";

/** Shapes a user. Setting field by field takes half the time of passing all fields to `create`. */
export function shapeUser({ userId, accountId, distinctId, properties }: StoredUser): User {
  const user = create(UserSchema);
  user.userId = String(userId);
  if (accountId !== null) user.accountId = accountId;
  if (distinctId !== null) user.distinctId = distinctId;
  // No name begins with an underscore, so none sets the prototype.
  const shaped: JsonObject = {};
  for (const name of Object.keys(properties)) shaped[name] = toExactJson(properties[name]);
  user.properties = shaped;
  return user;
}

/** Shapes a row with one value for each column. */
export function shapeUserRow(user: StoredUser, columns: readonly string[]): UserRow {
  return create(UserRowSchema, { values: columns.map((column) => shapeValue(columnOf(user, column))) });
}

function columnOf(user: StoredUser, column: string): JsonValue {
  switch (column) {
    case "#user_id":
      return String(user.userId);
    case "#account_id":
      return user.accountId;
    case "#distinct_id":
      return user.distinctId;
    default:
      return propertyOf(user, column.toLowerCase());
  }
}

/** Returns null for a name that only the prototype has, such as "constructor". */
function propertyOf({ properties }: StoredUser, name: string): JsonValue {
  return Object.hasOwn(properties, name) ? toExactJson(properties[name]) : null;
}

function shapeValue(value: JsonValue): Value {
  return create(ValueSchema, { kind: kindOf(value) });
}

function kindOf(value: JsonValue): Value["kind"] {
  if (typeof value === "number") return { case: "numberValue", value };
  if (typeof value === "string") return { case: "stringValue", value };
  if (typeof value === "boolean") return { case: "boolValue", value };
  if (value === null) return { case: "nullValue", value: NullValue.NULL_VALUE };
  if (Array.isArray(value)) {
    return { case: "listValue", value: create(ListValueSchema, { values: value.map(shapeValue) }) };
  }
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeValue(inner)]));
  return { case: "structValue", value: create(StructSchema, { fields }) };
}

/** Returns the ids and known user properties that columns name. */
export function valuesOf(columns: readonly string[], { properties }: ProjectSchema): Required<UserValues> {
  const names = new Set(columns.map((column) => column.toLowerCase()));
  return {
    ids: (["account_id", "distinct_id"] as const).filter((name) => columns.includes(`#${name}`)),
    properties: [...properties.values()].filter(({ table, name }) => table === "user" && names.has(name)),
  };
}

/** Returns the known user properties. Members of objects are left out, since their objects contain them. */
export function userProperties({ properties }: ProjectSchema): readonly Property[] {
  return [...properties.values()].filter(({ table, name }) => {
    const owner = properties.get(`user:${name.slice(0, Math.max(0, name.lastIndexOf(".")))}`);
    return table === "user" && owner === undefined;
  });
}
