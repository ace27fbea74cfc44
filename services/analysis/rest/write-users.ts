import { create, type JsonValue } from "@bufbuild/protobuf";
import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import { isUserIdName } from "../../../base/record/user-ids.ts";
import {
  type ListEventUsersResponse,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { User, UserList } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { EngineResponse } from "../engine.ts";
import type { TakeUsers } from "../shape/user-list.ts";
import { writeInfo } from "./result-text.ts";
import { UserJson, writeProperty, writeText } from "./user-json.ts";
import { writeHead } from "./write-analysis.ts";

type UsersResponse = Omit<ListEventUsersResponse, "$typeName" | "$unknown">;

/** Writes the platform's form of a user list in pieces of one user. */
export function* writeUsers(response: UsersResponse): Generator<string> {
  const { data } = response;
  if (data === undefined) {
    yield `${writeHead(response.returnCode, response.returnMessage)}null}`;
    return;
  }
  yield writeUsersHead(response);
  const writeUser = createUserWriter();
  for (const [i, user] of data.datalist.entries()) yield (i === 0 ? "" : ",") + writeUser(user);
  yield writeUsersEnd(response);
}

/** Writes the text before the users. */
function writeUsersHead({
  returnCode,
  returnMessage,
}: Pick<UsersResponse, "returnCode" | "returnMessage">): string {
  return `${writeHead(returnCode, returnMessage)}{"datalist":[`;
}

/** Writes the text after the users. */
function writeUsersEnd({ data }: UsersResponse): string {
  return `],"columMeta":${JSON.stringify(data?.columMeta ?? {})}${writeInfo(data?.info)}}}`;
}

/** Returns a function that writes the users of one list, and caches the written names of their members. */
function createUserWriter(): (user: User) => string {
  const heads = new Map<string, string>();
  const headOf = (name: string): string => {
    const head = heads.get(name) ?? (isUserIdName(name) ? "" : `,${JSON.stringify(name)}:`);
    heads.set(name, head);
    return head;
  };
  return ({ userId, accountId = "", distinctId = "", properties = {} }) => {
    let text = writeIds(userId, accountId, distinctId);
    for (const name of Object.keys(properties)) {
      const value = properties[name] as JsonValue;
      const head = headOf(name);
      if (value !== null && head !== "") text += head + writeProperty(value);
    }
    return `${text}}`;
  };
}

/** Writes all three ids; an id that the user lacks is empty. */
function writeIds(userId: string, accountId: string, distinctId: string): string {
  const ids = `"#account_id":${writeText(accountId)},"#distinct_id":${writeText(distinctId)}`;
  return `{"#user_id":${isExactId(userId) ? userId : JSON.stringify(userId)},${ids}`;
}

const shortId = /^[1-9]\d{0,14}$/;

function isExactId(userId: string): boolean {
  if (shortId.test(userId)) return true;
  const id = Number(userId);
  return Number.isSafeInteger(id) && String(id) === userId;
}

/**
 * Writes the response of a user list over REST while users are found, without a message or an object for each, which
 * takes less than half of the time. Its message lists no users.
 * @param list passes the users to its argument and returns the list without them
 */
export async function writeUserList(
  head: Pick<ListEventUsersResponse, "returnMessage"> & { readonly returnCode: number },
  list: (take: TakeUsers) => Promise<UserList>,
  yieldToEventLoop: YieldToEventLoop,
): Promise<EngineResponse<ListEventUsersResponse>> {
  const json = new UserJson(writeUsersHead(head));
  const data = await list(async (some, count) => {
    some.visit(json, count);
    await yieldToEventLoop();
  });
  const message = create(ListEventUsersResponseSchema, { ...head, data });
  return { message, json: json.finish(writeUsersEnd(message)) };
}
