import { create, type JsonValue } from "@bufbuild/protobuf";
import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import {
  type ListEventUsersResponse,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { UserList } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { StoredUser } from "../../../store/events/events.ts";
import type { EngineResponse } from "../engine.ts";
import { toExactJson } from "../exact-value.ts";
import { writeInfo } from "./result-text.ts";
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
  const { writeUser } = createUserWriter();
  for (const [i, { userId, accountId, distinctId, properties }] of data.datalist.entries()) {
    yield (i === 0 ? "" : ",") + writeUser(userId, accountId, distinctId, properties ?? {});
  }
  yield writeUsersEnd(response);
}

/** Writes the text before the users. */
function writeUsersHead({ returnCode, returnMessage }: UsersResponse): string {
  return `${writeHead(returnCode, returnMessage)}{"datalist":[`;
}

/** Writes the text after the users. */
function writeUsersEnd({ data }: UsersResponse): string {
  return `],"columMeta":${JSON.stringify(data?.columMeta ?? {})}${writeInfo(data?.info)}}}`;
}

const idNames: ReadonlySet<string> = new Set(["#user_id", "#account_id", "#distinct_id"]);

/** Writes the users of one list; caches the written names of their members. */
export interface UserWriter {
  writeUser(
    userId: string,
    accountId: string | undefined,
    distinctId: string | undefined,
    properties: Readonly<Record<string, JsonValue>>,
  ): string;
  /** Writes a stored user as its message would be written. */
  writeStored(user: StoredUser): string;
}

function createUserWriter(): UserWriter {
  const heads = new Map<string, string>();
  const headOf = (name: string): string => {
    const head = heads.get(name) ?? (idNames.has(name) ? "" : `,${JSON.stringify(name)}:`);
    heads.set(name, head);
    return head;
  };
  return {
    writeUser(userId, accountId, distinctId, properties) {
      let text = writeIds(userId, accountId ?? "", distinctId ?? "");
      for (const name of Object.keys(properties)) {
        const value = properties[name] as JsonValue;
        const head = headOf(name);
        if (value !== null && head !== "") text += head + writeProperty(value);
      }
      return `${text}}`;
    },
    writeStored({ userId, accountId, distinctId, properties }) {
      let text = writeIds(String(userId), accountId ?? "", distinctId ?? "");
      for (const name of Object.keys(properties)) {
        const value = toExactJson(properties[name]);
        const head = headOf(name);
        if (value !== null && head !== "") text += head + writeProperty(value);
      }
      return `${text}}`;
    },
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

/** Texts without characters that JSON escapes and without surrogates. */
const plain = /^[ !#-[\]-~]*$/;

/** Writes a text as `JSON.stringify` does, for most texts in half the time. */
function writeText(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Writes texts and numbers unchanged, other values as a text with their JSON. */
function writeProperty(value: JsonValue): string {
  if (typeof value === "string") return writeText(value);
  const json = JSON.stringify(value);
  return typeof value === "number" ? json : JSON.stringify(json);
}

/**
 * Writes the response of a user list over REST while users are found, without a
 * message for each, which takes half the time. Its message lists no users.
 * @param list passes the users to its argument and returns the list without them
 */
export async function writeUserList(
  head: Pick<ListEventUsersResponse, "returnMessage"> & { readonly returnCode: number },
  list: (take: (some: readonly StoredUser[]) => Promise<void>) => Promise<UserList>,
  yieldToEventLoop: YieldToEventLoop,
): Promise<EngineResponse<ListEventUsersResponse>> {
  const { writeStored } = createUserWriter();
  const pieces: Buffer[] = [];
  const data = await list(async (some) => {
    pieces.push(Buffer.from((pieces.length === 0 ? "" : ",") + some.map(writeStored).join(",")));
    await yieldToEventLoop();
  });
  const message = create(ListEventUsersResponseSchema, { ...head, data });
  pieces.unshift(Buffer.from(writeUsersHead(message)));
  pieces.push(Buffer.from(writeUsersEnd(message)));
  return { message, json: Buffer.concat(pieces) };
}
