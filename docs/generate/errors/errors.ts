import { Code, ConnectError } from "@connectrpc/connect";
import { codeName } from "../../../base/rpc/code-names.ts";
import { refuse } from "../../../gateway/call/refusals.ts";
import { encodeError } from "../../../gateway/rest/status.ts";
import { code, pageHead, table } from "../markdown.ts";
import { analysisCodes, statusCodes } from "./codes.ts";
import type { Entry } from "./entry.ts";
import { analysisReasons, fieldReasons, gatewayReasons, keyReasons, webhookReasons } from "./reasons.ts";
import { importReasons, lineReasons, propertyReasons, pushReasons, recordReasons } from "./records.ts";

const introduction = `
Every error names the field, quotes the value and lists the valid ones, so read its message first. gRPC, gRPC-Web and
Connect carry the status code and details: \`google.rpc.ErrorInfo\` with a reason and its domain, \`google.rpc.BadRequest\`
with the faults of fields, and \`google.rpc.RetryInfo\` where a later attempt may succeed. REST has the HTTP status and
\`{"code", "message", "details"}\` with the same details, except on the paths that the platform and its SDKs call:
analysis replies with HTTP 200 and \`return_code\`, webhooks with \`{"return_code": 1, "return_message"}\`, and event SDKs
get \`{"code": -1, "msg"}\`. Every response has the header \`x-request-id\`, by which the log finds the call.
`;

interface Part {
  readonly title: string;
  readonly text: string;
  readonly name: string;
  readonly entries: readonly (readonly [name: string, entry: Entry, ...cells: string[]])[];
  readonly more?: readonly string[];
}

const named = (entries: Readonly<Record<string, Entry>>) => Object.entries(entries);

/** Writes the reference of codes and reasons. */
export function writeErrors(): string {
  return [pageHead("Errors", introduction), ...[...codeParts(), ...reasonParts()].map(formatPart)].join("\n");
}

function formatPart({ title, text, name, entries, more = [] }: Part): string {
  const rows = entries.map(([key, { cause, action }, ...cells]) => [code(key), ...cells, cause, action]);
  return [`## ${title}\n`, `${text}\n`, table([name, ...more, "Cause", "What to do"], rows)].join("\n");
}

function codeParts(): readonly Part[] {
  const codes = Object.values(Code).filter((one) => typeof one === "number");
  return [
    {
      title: "Status codes",
      text: "The code of a call, and the HTTP status that REST has for it unless a reason below has another one.",
      name: "Code",
      more: ["gRPC", "HTTP"],
      entries: codes.map((one) => [
        codeName(one),
        statusCodes[one],
        String(one),
        String(encodeError(new ConnectError("", one)).status),
      ]),
    },
    {
      title: "Return codes of analysis",
      text: "The `return_code` of responses below `/open/`. 0 is success. The metadata of `ErrorInfo` has it too.",
      name: "Return code",
      entries: Object.entries(analysisCodes).sort(([a], [b]) => Number(b) - Number(a)),
    },
    {
      title: "Return codes of other paths",
      text: "Paths that the platform and its SDKs call. 0 is success.",
      name: "Return code",
      more: ["Path"],
      entries: [
        [
          "1",
          {
            cause: "The batch is refused as a whole, or no target responded in time.",
            action: "Read return_message, and the reasons of webhooks below.",
          },
          "`/webhook/{channel}`",
        ],
        [
          "-1",
          {
            cause:
              "The body has no records, its app id is unknown, or records cannot be stored at the moment. msg tells which.",
            action:
              "Correct the body, or add the app id to `appids` of a project. SDKs send again by themselves.",
          },
          "paths of event SDKs, such as `/sync_json`",
        ],
        [
          "errorLevel 1",
          {
            cause: "The record is accepted without some of its properties, which errorProperties lists.",
            action: "See the reasons of dropped properties below.",
          },
          "`/data_debug`",
        ],
        [
          "errorLevel 2",
          {
            cause: "The record is refused, or its app id is unknown. errorReasons tells why.",
            action: "See the reasons of refused records below.",
          },
          "`/data_debug`",
        ],
      ],
    },
  ];
}

function reasonParts(): readonly Part[] {
  const gateway = Object.entries(gatewayReasons).map(([name, entry]) => {
    const error = refuse(name as keyof typeof gatewayReasons, Code.InvalidArgument, "");
    return [name, entry, String(encodeError(error).status)] as const;
  });
  const webhooks = Object.entries(webhookReasons).map(
    ([name, entry]) => [name.toUpperCase(), entry] as const,
  );
  return [
    {
      title: "Reasons of requests",
      text: "Domain `engage.gateway`: the request does not reach its method.",
      name: "Reason",
      more: ["HTTP"],
      entries: gateway,
    },
    { title: "Reasons of keys", text: "Domain `engage`.", name: "Reason", entries: named(keyReasons) },
    {
      title: "Reasons of fields",
      text: "The `reason` of an entry of `google.rpc.BadRequest`.",
      name: "Reason",
      entries: named(fieldReasons),
    },
    {
      title: "Reasons of analysis",
      text: "Domain `engage.analysis`.",
      name: "Reason",
      entries: named(analysisReasons),
    },
    { title: "Reasons of webhooks", text: "Domain `engage.webhook`.", name: "Reason", entries: webhooks },
    {
      title: "Reasons of log lines",
      text: "Why a line has no record, in dead letters and in `engage_parser_failed_items_total`.",
      name: "Reason",
      entries: named(lineReasons),
    },
    {
      title: "Reasons of refused records",
      text: "In responses, dead letters and `engage_events_refused_records_total`.",
      name: "Reason",
      entries: named(recordReasons),
    },
    {
      title: "Reasons of imports",
      text: "`engage import` has the reasons of refused records, for tables those of log lines too, and this one.",
      name: "Reason",
      entries: named(importReasons),
    },
    {
      title: "Reasons of dropped properties",
      text: "The record is accepted without the property. In responses and `engage_events_dropped_properties_total`.",
      name: "Reason",
      entries: named(propertyReasons),
    },
    {
      title: "Reasons of pushes",
      text: "In the statistics of tasks and in `engage_channel_messages_total`.",
      name: "Reason",
      entries: named(pushReasons),
    },
  ];
}
