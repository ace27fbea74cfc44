import { create } from "@bufbuild/protobuf";
import {
  type DownloadEventUsersResponse,
  DownloadEventUsersResponseSchema,
  UserRowsSchema,
  UserTableHeaderSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  ColumnSchema,
  type User,
  type UserList,
  UserListSchema,
  WarningReason,
  WarningSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { UserChunk } from "../../../store/events/events.ts";
import type { EventPlan } from "../describe/event-plan.ts";
import { maxListedUsers } from "../describe/limits.ts";
import { shapeInfo } from "./result-info.ts";
import { shapeUser, shapeUserRow } from "./users.ts";

/** The parts of a user list. */
export interface UserListParts {
  readonly plan: EventPlan;
  readonly found: AsyncIterable<UserChunk>;
  /** The display names of all members. */
  readonly columMeta: Readonly<Record<string, string>>;
}

/** Takes some users, of which only the first belong to the list, and how many these are. */
export type TakeUsers = (some: UserChunk, count: number) => Promise<void>;

/** Shapes a list of the first users. A warning says if there are more. */
export async function shapeUserList(parts: UserListParts): Promise<UserList> {
  const datalist: User[] = [];
  const list = await takeUsers(parts, async (some, count) => {
    datalist.push(...Array.from(some, shapeUser).slice(0, count));
  });
  return { ...list, datalist };
}

/** Shapes a list without its users, which `take` gets some at a time. */
export async function takeUsers(
  { plan, found, columMeta }: UserListParts,
  take: TakeUsers,
): Promise<UserList> {
  let room = maxListedUsers;
  let isCut = false;
  for await (const some of found) {
    isCut = some.length > room;
    const count = Math.min(some.length, room);
    room -= count;
    if (count > 0) await take(some, count);
    if (isCut) break;
  }
  const message = `only the first ${maxListedUsers} users are listed; a download has all`;
  const cut = isCut ? [create(WarningSchema, { reason: WarningReason.TRUNCATED, message })] : [];
  return create(UserListSchema, { columMeta: { ...columMeta }, info: shapeInfo(plan, cut) });
}

/** Returns the header, then all users. @param columns their stable names */
export async function* shapeUserTable(
  plan: EventPlan,
  found: AsyncIterable<UserChunk>,
  columns: readonly string[],
  displayNameOf: (column: string) => string,
): AsyncGenerator<DownloadEventUsersResponse> {
  const header = create(UserTableHeaderSchema, {
    columns: columns.map((name) => create(ColumnSchema, { name, displayName: displayNameOf(name) })),
    info: shapeInfo(plan),
  });
  yield create(DownloadEventUsersResponseSchema, { content: { case: "header", value: header } });
  for await (const some of found) {
    const rows = create(UserRowsSchema, { rows: Array.from(some, (user) => shapeUserRow(user, columns)) });
    yield create(DownloadEventUsersResponseSchema, { content: { case: "rows", value: rows } });
  }
}
