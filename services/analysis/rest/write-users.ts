import type { JsonValue } from "@bufbuild/protobuf";
import type { ListEventUsersResponse } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { User } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { writeInfo } from "./answer-text.ts";
import { writeHead } from "./write-analysis.ts";

/** The platform's form of a user list, in pieces of one user. */
export function* writeUsers({ returnCode, returnMessage, data }: ListEventUsersResponse): Generator<string> {
  yield writeHead(returnCode, returnMessage);
  if (data === undefined) {
    yield "null}";
    return;
  }
  yield '{"datalist":[';
  for (const [i, user] of data.datalist.entries()) yield (i === 0 ? "" : ",") + writeUser(user);
  yield `],"columMeta":${JSON.stringify(data.columMeta)}${writeInfo(data.info)}}}`;
}

const idNames: ReadonlySet<string> = new Set(["#user_id", "#account_id", "#distinct_id"]);

/** Each user has all three ids, empty where it lacks one. */
function writeUser({ userId, accountId = "", distinctId = "", properties = {} }: User): string {
  const id = Number(userId);
  const isExact = Number.isSafeInteger(id) && String(id) === userId;
  let text = `{"#user_id":${isExact ? userId : JSON.stringify(userId)}`;
  text += `,"#account_id":${JSON.stringify(accountId)},"#distinct_id":${JSON.stringify(distinctId)}`;
  for (const name of Object.keys(properties)) {
    const value = properties[name] as JsonValue;
    if (value !== null && !idNames.has(name)) text += `,${JSON.stringify(name)}:${writeProperty(value)}`;
  }
  return `${text}}`;
}

/** Texts and numbers as they are, all else as a text that holds its JSON. */
function writeProperty(value: JsonValue): string {
  const json = JSON.stringify(value);
  return typeof value === "string" || typeof value === "number" ? json : JSON.stringify(json);
}
