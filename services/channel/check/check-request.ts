import type { DescField } from "@bufbuild/protobuf";
import { defaultSignatureHeader } from "../../../base/net/signature.ts";
import { limitsOf, rangeOf } from "../../../base/protobuf/limits.ts";
import { eachViolation, refuseViolations } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkLine, type Problem } from "../../../base/text/check-text.ts";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import {
  type CheckReceiverRequest,
  CheckReceiverRequestSchema,
} from "../../../gen/engage/channel/v1/receiver_checker_pb.ts";
import { checkUrl } from "../channels/channel.ts";
import { checkAuthentication, checkHeaders, checkSecret } from "../channels/headers.ts";
import { checkList, violationOf } from "../channels/names.ts";
import { type CheckOptions, probeIds } from "./check.ts";

/** What a request says about a run. */
export interface CheckSettings
  extends Pick<
    CheckOptions,
    | "secret"
    | "secondSecret"
    | "signatureHeader"
    | "headers"
    | "projectId"
    | "knownBadPushId"
    | "timeoutMs"
    | "skip"
  > {
  /** Requests a second that the receiver must handle. */
  readonly perSecond: number;
}

const { knownBadPushId, timeoutSeconds, requestsPerSecond } = CheckReceiverRequestSchema.field;
const { maxLength: maxPushId } = limitsOf(knownBadPushId);

/** @throws InvalidFieldsError */
export function readCheckRequest(request: CheckReceiverRequest): CheckSettings {
  refuseViolations(checkRequest(request));
  const { authentication, secondSecret, customHeaders } = request;
  const secret = authentication?.off === true ? undefined : authentication?.secret;
  return {
    secret,
    secondSecret: secondSecret || undefined,
    signatureHeader: authentication?.headerName || defaultSignatureHeader,
    headers: Object.fromEntries(customHeaders.map(({ name, value }) => [name, value])),
    projectId: Number(request.projectId) || 1,
    knownBadPushId: request.knownBadPushId || undefined,
    timeoutMs: numberOf(request.timeoutSeconds, timeoutSeconds) * 1_000,
    skip: request.skippedProbes,
    perSecond: numberOf(request.requestsPerSecond, requestsPerSecond),
  };
}

/** 0 stands for the default. */
function numberOf(value: number, field: DescField): number {
  return value || Number(limitsOf(field).defaultValue);
}

function checkRequest(request: CheckReceiverRequest): readonly Violation[] {
  const { url, authentication, customHeaders, skippedProbes } = request;
  const isSigned = authentication !== undefined && !authentication.off;
  const signatureHeader = isSigned ? authentication.headerName || defaultSignatureHeader : undefined;
  return [
    ...violationOf("url", checkUrl(url)),
    ...(isSigned ? checkAuthentication(authentication) : []),
    ...violationOf("authentication.secret", checkUnsigned(request)),
    ...violationOf("second_secret", checkSecondSecret(request)),
    ...checkHeaders(customHeaders, signatureHeader),
    ...violationOf("known_bad_push_id", checkLine(request.knownBadPushId, maxPushId)),
    ...violationOf("project_id", checkProjectId(request.projectId)),
    ...violationOf("timeout_seconds", checkRange(request.timeoutSeconds, timeoutSeconds)),
    ...violationOf("requests_per_second", checkRange(request.requestsPerSecond, requestsPerSecond)),
    ...checkList("skipped_probes", skippedProbes, probeIds.length, () =>
      eachViolation(skippedProbes, (id, i) => violationOf(`skipped_probes[${i}]`, checkProbe(id))),
    ),
  ];
}

function checkUnsigned({ authentication }: CheckReceiverRequest): Problem {
  if (authentication?.off !== true || authentication.secret === "") return undefined;
  return "is set although authentication.off is set, valid is one of them";
}

function checkSecondSecret({ authentication, secondSecret }: CheckReceiverRequest): Problem {
  if (secondSecret === "") return undefined;
  if (authentication === undefined || authentication.off)
    return "is set without authentication, which is not valid";
  if (secondSecret === authentication.secret) return "is the same as authentication.secret";
  return checkSecret(secondSecret);
}

function checkProjectId(id: bigint): Problem {
  if (id >= 0n && id <= BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return `is ${id}, valid are 1 to ${Number.MAX_SAFE_INTEGER}`;
}

/** 0 stands for the default. */
function checkRange(value: number, field: DescField): Problem {
  const { min, max } = rangeOf(field);
  if (value === 0 || (value >= min && value <= max)) return undefined;
  return `is ${value}, valid are ${min} to ${max}`;
}

function checkProbe(id: string): Problem {
  if (probeIds.includes(id)) return undefined;
  return `is ${quoteText(id)}, ${knownNames(id, probeIds)}`;
}
