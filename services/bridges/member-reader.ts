import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { Utf8Text } from "../../base/bytes/utf8-text.ts";
import { toExactJson } from "../../base/json/exact-numbers.ts";
import { isUserIdName } from "../../base/record/user-ids.ts";
import { plainText } from "../../base/text/plain-text.ts";
import type { UserRow } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { ProjectSchema, UserChunk, UserVisitor, VisitedText } from "../../store/events/events.ts";
import type { AudienceMember } from "../channel/audience/source.ts";
import type { FoundReader } from "./user-queries.ts";

/** What a member has of a user. */
export interface MemberColumns {
  readonly pushIdProperty: string;
  /** Lower case. */
  readonly properties: readonly string[];
}

/**
 * Properties whose value no two users share, whatever the engine: an account belongs to one user. The visitor of a user
 * is the one it was last seen with, which may be that of another user.
 */
const ofOneUser: ReadonlySet<string> = new Set(["#account_id", "#user_id"]);

/** Returns the columns of the rows from which members are read: the push id is first. */
export function columnsOf({ pushIdProperty, properties }: MemberColumns): readonly string[] {
  return [pushIdProperty, ...properties];
}

/**
 * Creates the reader of members, which have the same values whether they come from stored users or from rows. Only
 * stored users have their number: nothing checks that an engine with rows alone yields each user once.
 * @param schemaOf called when users are found: before, the store may not be open
 */
export function createMemberReader(
  wanted: MemberColumns,
  schemaOf: () => ProjectSchema,
): FoundReader<readonly AudienceMember[]> {
  let columns: UserColumns | undefined;
  return {
    users(some: UserChunk) {
      columns ??= compileColumns(wanted, schemaOf());
      const visitor = new MemberVisitor(columns);
      some.visit(visitor, some.length);
      return visitor.members;
    },
    rows: (rows) => rows.map(compileRowReader(wanted, schemaOf())),
  };
}

/** What members have of one id or property of users. */
interface UserColumn {
  readonly isPushId: boolean;
  /** The name of the member's property; undefined for none. */
  readonly property: string | undefined;
  readonly isTime: boolean;
}

interface UserColumns {
  readonly userId: UserColumn | undefined;
  readonly accountId: UserColumn | undefined;
  readonly distinctId: UserColumn | undefined;
  /** By name, lower case. */
  readonly properties: ReadonlyMap<string, UserColumn>;
  /** Whether members have the number of their user. */
  readonly hasUserId: boolean;
}

function compileColumns(wanted: MemberColumns, schema: ProjectSchema): UserColumns {
  const { pushIdProperty, properties } = wanted;
  const columnOf = (name: string, isNamed: (column: string) => boolean): UserColumn | undefined => {
    const isPushId = isNamed(pushIdProperty);
    const property = properties.find(isNamed);
    const isWanted = isPushId || property !== undefined;
    return isWanted ? { isPushId, property, isTime: isTime(name, schema) } : undefined;
  };
  const idOf = (name: string) => columnOf(name, (column) => column === name);
  const others = columnsOf(wanted).filter((column) => !isUserIdName(column));
  const isOther = (name: string) => (column: string) =>
    !isUserIdName(column) && column.toLowerCase() === name;
  const names = others.map((column) => column.toLowerCase());
  return {
    userId: idOf("#user_id"),
    accountId: idOf("#account_id"),
    distinctId: idOf("#distinct_id"),
    properties: new Map(names.map((name) => [name, columnOf(name, isOther(name))!])),
    hasUserId: ofOneUser.has(pushIdProperty),
  };
}

function isTime(name: string, { properties }: ProjectSchema): boolean {
  return properties.get(`user:${name.toLowerCase()}`)?.type === "time";
}

/** Times of an audience have no milliseconds. */
function cutTime(value: unknown): unknown {
  return typeof value === "string" ? value.slice(0, 19) : value;
}

/** A member whose values are not all read. */
interface OpenMember extends Pick<AudienceMember, "userId"> {
  pushId: string | undefined;
  readonly properties: Record<string, unknown>;
}

/** Makes a member of each user. */
class MemberVisitor implements UserVisitor {
  readonly members: AudienceMember[] = [];
  readonly #columns: UserColumns;
  #member: OpenMember = { pushId: undefined, userId: undefined, properties: {} };

  constructor(columns: UserColumns) {
    this.#columns = columns;
  }

  user(id: bigint, account: VisitedText | null, distinct: VisitedText | null): void {
    const { userId, accountId, distinctId, hasUserId } = this.#columns;
    const number = hasUserId ? Number(id) : undefined;
    const exact = Number.isSafeInteger(number) ? number : undefined;
    this.#member = { pushId: undefined, userId: exact, properties: {} };
    this.members.push(this.#member);
    if (userId !== undefined) this.#add(userId, String(id));
    if (accountId !== undefined && account !== null) this.#add(accountId, account.toString());
    if (distinctId !== undefined && distinct !== null) this.#add(distinctId, distinct.toString());
  }

  property(name: string, value: unknown): void {
    const column = this.#columns.properties.get(name);
    if (column === undefined) return;
    const found = value instanceof Utf8Text ? value.toString() : toExactJson(value);
    if (found !== null) this.#add(column, column.isTime ? cutTime(found) : found);
  }

  #add({ isPushId, property }: UserColumn, value: unknown): void {
    if (isPushId) this.#member.pushId = plainText(value);
    // No name begins with an underscore, so none sets the prototype.
    if (property !== undefined) this.#member.properties[property] = value;
  }
}

/** Compiles the function that reads a row with a value for each column. */
function compileRowReader(wanted: MemberColumns, schema: ProjectSchema): (row: UserRow) => AudienceMember {
  const { pushIdProperty, properties } = wanted;
  const times = new Set(columnsOf(wanted).filter((name) => isTime(name, schema)));
  const read = (name: string, value: Value | undefined): unknown => {
    const found = value === undefined ? null : toJson(ValueSchema, value);
    return times.has(name) ? cutTime(found) : found;
  };
  return ({ values }) => {
    const [first, ...others] = values;
    const pushId = read(pushIdProperty, first);
    const found = properties.map((name, i): [string, unknown] => [name, read(name, others[i])]);
    return {
      pushId: pushId === null ? undefined : plainText(pushId),
      properties: Object.fromEntries(found.filter(([, value]) => value !== null)),
    };
  };
}
