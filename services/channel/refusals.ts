import { Code, ConnectError } from "@connectrpc/connect";
import { createErrorMapping } from "../../base/rpc/map-errors.ts";
import { foreignPageToken } from "../../base/rpc/paging.ts";
import { quoteText } from "../../base/text/quote.ts";
import {
  ChannelsFullError,
  ChannelsUnavailableError,
  PageCursorError,
} from "../../store/channels/channels.ts";
import { AudienceUnavailableError } from "./audience/source.ts";

/** Names the method that lists those that exist: a caller of another method may not list them. */
export function notFound(field: "channel" | "task", id: string): ConnectError {
  const method = field === "channel" ? "ListChannels" : "ListTasks";
  return new ConnectError(`there is no ${field} ${quoteText(id)}, ${method} lists them`, Code.NotFound);
}

export function precondition(message: string): ConnectError {
  return new ConnectError(message, Code.FailedPrecondition);
}

export const { mapErrors, toConnectError } = createErrorMapping((error) => {
  if (error instanceof PageCursorError) return foreignPageToken();
  if (error instanceof ChannelsFullError) return "the channel store is full";
  if (error instanceof ChannelsUnavailableError) return "the channel store is unavailable";
  return error instanceof AudienceUnavailableError ? "the users are temporarily unavailable" : undefined;
});
