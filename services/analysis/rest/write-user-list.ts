import { create } from "@bufbuild/protobuf";
import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import {
  type ListEventUsersResponse,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { UserList } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { StoredUser } from "../../../store/events/events.ts";
import type { EngineResponse } from "../engine.ts";
import { createUserWriter, writeUsersEnd, writeUsersHead } from "./write-users.ts";

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
