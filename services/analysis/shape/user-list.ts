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
import type { StoredUser } from "../../../store/events/events.ts";
import type { EventPlan } from "../describe/event-plan.ts";
import { maxListedUsers } from "../describe/limits.ts";
import { shapeInfo } from "./result-info.ts";
import { shapeUser, shapeUserRow } from "./users.ts";

/** The parts of a user list. */
export interface UserListParts {
  readonly plan: EventPlan;
  readonly found: AsyncIterable<readonly StoredUser[]>;
  /** The display names of all members. */
  readonly columMeta: Readonly<Record<string, string>>;
}

/** Shapes a list of the first users. A warning says if there are more. */
export async function shapeUserList(parts: UserListParts): Promise<UserList> {
  const datalist: User[] = [];
  const list = await takeUsers(parts, async (some) => {
    datalist.push(...some.map(shapeUser));
  });
  return { ...list, datalist };
}

/** Shapes a list without its users. `take` gets some users at a time, as stored users instead of messages. */
export async function takeUsers(
  { plan, found, columMeta }: UserListParts,
  take: (some: readonly StoredUser[]) => Promise<void>,
): Promise<UserList> {
  let room = maxListedUsers;
  let isCut = false;
  for await (const some of found) {
    isCut = some.length > room;
    const taken = some.slice(0, room);
    room -= taken.length;
    if (taken.length > 0) await take(taken);
    if (isCut) break;
  }
  const message = `only the first ${maxListedUsers} users are listed; a download has all`;
  const cut = isCut ? [create(WarningSchema, { reason: WarningReason.TRUNCATED, message })] : [];
  return create(UserListSchema, { columMeta: { ...columMeta }, info: shapeInfo(plan, cut) });
}

/** Returns the header, then all users. @param columns their stable names */
export async function* shapeUserTable(
  plan: EventPlan,
  found: AsyncIterable<readonly StoredUser[]>,
  columns: readonly string[],
  displayNameOf: (column: string) => string,
): AsyncGenerator<DownloadEventUsersResponse> {
  const header = create(UserTableHeaderSchema, {
    columns: columns.map((name) => create(ColumnSchema, { name, displayName: displayNameOf(name) })),
    info: shapeInfo(plan),
  });
  yield create(DownloadEventUsersResponseSchema, { content: { case: "header", value: header } });
  for await (const some of found) {
    const rows = create(UserRowsSchema, { rows: some.map((user) => shapeUserRow(user, columns)) });
    yield create(DownloadEventUsersResponseSchema, { content: { case: "rows", value: rows } });
  }
}
