import { create } from "@bufbuild/protobuf";
import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import {
  type ListEventUsersResponse,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { UserList } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { StoredUser } from "../../../store/events/events.ts";
import { keepAnswerBytes } from "./answer-bytes.ts";
import { createUserWriter, writeUsersEnd, writeUsersHead } from "./write-users.ts";

/**
 * An answer whose users are written as they come and are never messages, which
 * takes half the time. It is for REST only, since its message lists nobody.
 * @param list gives the users to its argument, and the list without them
 */
export async function writeUserList(
  head: Pick<ListEventUsersResponse, "returnMessage"> & { readonly returnCode: number },
  list: (take: (some: readonly StoredUser[]) => Promise<void>) => Promise<UserList>,
  yieldToEventLoop: YieldToEventLoop,
): Promise<ListEventUsersResponse> {
  const { writeStored } = createUserWriter();
  const pieces: Buffer[] = [];
  const data = await list(async (some) => {
    pieces.push(Buffer.from((pieces.length === 0 ? "" : ",") + some.map(writeStored).join(",")));
    await yieldToEventLoop();
  });
  const answer = create(ListEventUsersResponseSchema, { ...head, data });
  pieces.unshift(Buffer.from(writeUsersHead(answer)));
  pieces.push(Buffer.from(writeUsersEnd(answer)));
  return keepAnswerBytes(answer, Buffer.concat(pieces));
}
