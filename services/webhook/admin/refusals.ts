import { createErrorMapping } from "../../../base/rpc/map-errors.ts";
import { foreignPageToken } from "../../../base/rpc/paging.ts";
import { InboxUnavailableError, PageCursorError } from "../../../store/inbox/inbox.ts";

export const { mapErrors } = createErrorMapping((error) => {
  if (error instanceof PageCursorError) return foreignPageToken();
  return error instanceof InboxUnavailableError ? "the inbox is unavailable" : undefined;
});
