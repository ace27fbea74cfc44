import { limitsOf, patternOf } from "../../../base/protobuf/limits.ts";
import { under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { checkLength, type Problem } from "../../../base/text/check-text.ts";
import { quoteText } from "../../../base/text/quote.ts";
import {
  type ChannelAuthentication,
  ChannelAuthenticationSchema,
  ChannelSchema,
  type CustomHeader,
  CustomHeaderSchema,
} from "../../../gen/engage/channel/v1/channel_pb.ts";
import { TextFormat } from "../../../gen/engage/gateway/v1/limits_pb.ts";
import { checkList, violationOf } from "./names.ts";

const { maxItems: maxHeaders } = limitsOf(ChannelSchema.field.customHeaders);
const { maxLength: maxName } = limitsOf(CustomHeaderSchema.field.name);
const { maxLength: maxValue } = limitsOf(CustomHeaderSchema.field.value);
const { maxLength: maxSecret } = limitsOf(ChannelAuthenticationSchema.field.secret);

/** https://www.rfc-editor.org/rfc/rfc9110.html#name-tokens */
const token = patternOf(TextFormat.HEADER_NAME);
/** Header values that every server accepts: printable ASCII, with spaces and tabs inside. */
const fieldValue = patternOf(TextFormat.HEADER_VALUE);

/** Headers that HTTP or the contract sets, and headers of a single connection. */
const reserved: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** @param signatureHeader header of the signature; undefined without authentication */
export function checkHeaders(
  headers: readonly CustomHeader[],
  signatureHeader: string | undefined,
): readonly Violation[] {
  const names = headers.map(({ name }) => name.toLowerCase());
  return checkList("custom_headers", headers, maxHeaders, () =>
    headers.flatMap(({ name, value }, i) =>
      under(`custom_headers[${i}]`, [
        ...violationOf(
          "name",
          checkHeaderName(name) ?? clash(name, names.indexOf(names[i]!), i, signatureHeader),
        ),
        ...violationOf("value", checkHeaderValue(value)),
      ]),
    ),
  );
}

function clash(name: string, first: number, index: number, signatureHeader: string | undefined): Problem {
  if (name.toLowerCase() === signatureHeader?.toLowerCase()) {
    return `is ${quoteText(name)}, which is the header of the signature`;
  }
  if (first === index) return undefined;
  return `is ${quoteText(name)}, which repeats custom_headers[${first}] (case is ignored)`;
}

function checkHeaderName(name: string): Problem {
  if (name === "") return "is required";
  if (name.length > maxName) return `has ${name.length} characters, at most ${maxName} are valid`;
  if (!token.test(name)) return `is ${quoteText(name)}, valid are letters, digits and !#$%&'*+-.^_\`|~`;
  if (!reserved.has(name.toLowerCase())) return undefined;
  return `is ${quoteText(name)}, which is set by the service`;
}

/** Checks the value of a header. The messages do not quote it, since it may be a secret. */
function checkHeaderValue(value: string): Problem {
  if (value === "") return "is required";
  if (value.length > maxValue) return `has ${value.length} characters, at most ${maxValue} are valid`;
  return fieldValue.test(value)
    ? undefined
    : "is not valid, valid are printable ASCII characters without spaces at the ends";
}

export function checkAuthentication({ secret, headerName }: ChannelAuthentication): readonly Violation[] {
  return under("authentication", [
    ...violationOf("secret", checkSecret(secret)),
    ...violationOf("header_name", headerName === "" ? undefined : checkHeaderName(headerName)),
  ]);
}

export function checkSecret(secret: string): Problem {
  if (secret === "") return "is required";
  const tooLong = checkLength(secret, maxSecret);
  if (tooLong !== undefined) return tooLong;
  if (secret !== secret.trim()) return "has spaces or line ends at its ends, which is not valid";
  return /[\0\r\n]/.test(secret) ? "contains a NUL character or a line end, which is not valid" : undefined;
}
