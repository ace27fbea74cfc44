import type { ConnectError } from "@connectrpc/connect";
import { wordError, wordSystemError } from "../../base/text/system-error.ts";

/** Faults that occur when no server is running. */
const unreachable = /^connection refused|^no address is known|cannot be reached|^no answer/;

/** Describes why a server could not be called, with a hint. */
export function wordConnectionFault(error: unknown): string {
  const words = wordSystemError(error) ?? wordError(error);
  return unreachable.test(words) ? `${words}: is the server running?` : words;
}

/** Describes the failure of a call through Connect, which wraps errors of the connection. */
export function wordCallError({ rawMessage, cause }: ConnectError): string {
  return wordSystemError(cause) === undefined ? rawMessage : wordConnectionFault(cause);
}
