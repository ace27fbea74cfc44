import type { ConnectError } from "@connectrpc/connect";
import { wordError, wordSystemError } from "../base/text/system-error.ts";

/** Faults that a server which does not run makes. */
const notThere = /^connection refused|^no address is known|cannot be reached|^no answer/;

/** Why a server could not be called, with what to look at first. */
export function wordConnectionFault(error: unknown): string {
  const words = wordSystemError(error) ?? wordError(error);
  return notThere.test(words) ? `${words}: is the server running?` : words;
}

/** The same of a call through Connect, which wraps what goes wrong below it. */
export function wordCallError({ rawMessage, cause }: ConnectError): string {
  return wordSystemError(cause) === undefined ? rawMessage : wordConnectionFault(cause);
}
