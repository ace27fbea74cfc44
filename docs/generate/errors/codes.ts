import { Code } from "@connectrpc/connect";
import type { returnCodes } from "../../../services/analysis/refusal/refusal.ts";
import { because, type Entry } from "./entry.ts";

/** The status codes of gRPC. */
export const statusCodes: Readonly<Record<Code, Entry>> = {
  [Code.Canceled]: because(
    "The caller ended the call, or closed the connection.",
    "Nothing, unless the caller has a shorter time limit than it wants.",
  ),
  [Code.Unknown]: because(
    "Another server reported an error without a code.",
    "Read the message; the log has the request id.",
  ),
  [Code.InvalidArgument]: because(
    "The request is not valid. The details name each field with its fault and the valid values.",
    "Change the request. The same request never succeeds.",
  ),
  [Code.DeadlineExceeded]: because(
    "The call took longer than its deadline, or than limits.maxDeadlineMs.",
    "Ask for less, or set a longer deadline. What the call has begun may still be done.",
  ),
  [Code.NotFound]: because(
    "The method, the path or what the request names does not exist.",
    "Correct the name. Messages often give the nearest existing one.",
  ),
  [Code.AlreadyExists]: because(
    "The name or id of the request is in use by something else.",
    "Choose another name, or change what exists.",
  ),
  [Code.PermissionDenied]: because(
    "The caller is known and may not make this call.",
    "Use another key or token, or give this one more rights in the configuration.",
  ),
  [Code.ResourceExhausted]: because(
    "A limit is reached: the size of a message, a rate, or the number of concurrent calls.",
    "Try again after the time in RetryInfo, if there is one; otherwise send less, or raise the limit.",
  ),
  [Code.FailedPrecondition]: because(
    "The state of what the request names does not allow the call, such as a task that has ended.",
    "Change the state first. The same call may succeed then.",
  ),
  [Code.Aborted]: because(
    "Another call has changed the same thing in between.",
    "Read it again, and repeat the change.",
  ),
  [Code.OutOfRange]: because(
    "A number or a position is beyond what exists.",
    "Change the request to the range in the message.",
  ),
  [Code.Unimplemented]: because(
    "The method does not exist, or the protocol cannot carry it, such as an unknown compression.",
    "Correct the method; GET /docs lists all.",
  ),
  [Code.Internal]: because(
    "The service has a fault. The response has only a request id.",
    "Search the log for the request id, and report what it says.",
  ),
  [Code.Unavailable]: because(
    "The service, one of its stores or a server that it calls is unavailable.",
    "Try again after the time in RetryInfo, else with growing delays. GET /readyz tells what is missing.",
  ),
  [Code.DataLoss]: because(
    "Stored data is damaged, and its checksum shows it.",
    "Read the log, run `engage store check`, and restore a backup if it confirms the damage.",
  ),
  [Code.Unauthenticated]: because(
    "The call has no key, token or signature, or one that is not known.",
    "Send a valid one: `authorization: Bearer KEY`, the query token, or the signature of the channel.",
  ),
};

type ReturnCode = (typeof returnCodes)[keyof typeof returnCodes];

/** The return codes of analysis over REST. */
export const analysisCodes: Readonly<Record<ReturnCode, Entry>> = {
  [-1000]: because(
    "The service has a fault, or received a response of the platform that is not valid.",
    "Search the log for the request id.",
  ),
  [-1001]: because(
    "The query is not valid. The message lists all its faults with the valid values.",
    "Change the query.",
  ),
  [-1002]: because(
    "The token is unknown, or has no access to the project.",
    "Use another token, or add the project to it in analysis.tokens.",
  ),
  [-1004]: because(
    "The query took longer than its time limit, or the platform did not respond in time.",
    "Ask for a shorter time range or fewer groups, or raise the time limit of the query.",
  ),
  [-1005]: because(
    "Too many queries run and wait, or the rate limit of the token is reached.",
    "Try again after a second. If it persists, see events.engine.maxQueries, events.engine.maxWaiting and analysis.rateLimit.",
  ),
  [-1006]: because(
    "The event store or the platform cannot reply, and does not recover by itself.",
    "See GET /readyz and the log.",
  ),
  [-1008]: because("The request has no token.", "Add `?token=TOKEN` to the URL, or a bearer header."),
};
