import { once } from "node:events";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { exactCountOf } from "../../base/text/count.ts";
import { quoteText } from "../../base/text/quote.ts";
import {
  type DeadLetter,
  type DeadLetterFilterSchema,
  DeadLetterKind,
  type DeadLetterKindSummary,
  DeadLetterKindSummarySchema,
  DeadLetterOrder,
  type DeadLetterReason,
  DeadLetterReasonSchema,
  DeadLetterSchema,
  type DeadLetters,
} from "../../gen/engage/operations/v1/dead_letters_pb.ts";
import { collectRows } from "../client/collect-rows.ts";
import { type MessageOutput, timeOf, writeJson, writeRows } from "../terminal/messages.ts";
import { sizeOf } from "../terminal/sizes.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";
import { UserError } from "../terminal/user-error.ts";

type DeadLettersClient = Client<typeof DeadLetters>;

export interface FilterOptions {
  readonly id?: string;
  readonly reason?: string;
  readonly text?: string;
  readonly project?: number;
  readonly channel?: string;
  readonly target?: string;
  readonly index?: string;
  readonly from?: string;
  readonly until?: string;
}

export interface ListOptions extends FilterOptions {
  readonly oldestFirst?: true;
  readonly limit: number;
}

export interface ReplayOptions extends FilterOptions {
  readonly all?: true;
  readonly dryRun?: true;
}

const kindNumbers: Readonly<Record<string, DeadLetterKind>> = {
  webhook: DeadLetterKind.WEBHOOK,
  click: DeadLetterKind.CLICK,
  parser: DeadLetterKind.PARSER,
  record: DeadLetterKind.RECORD,
};

/** Prints how many dead letters of each kind there are. */
export async function printKinds(client: DeadLettersClient, output: MessageOutput): Promise<void> {
  const { kinds } = await client.listKinds({});
  if (output.json) return writeJson(output.stdout, DeadLetterKindSummarySchema, kinds);
  output.stdout.write(formatTable(kindColumns, kinds));
}

function nameOf({ kind }: { readonly kind: DeadLetterKind }): string {
  return Object.entries(kindNumbers).find(([, number]) => number === kind)?.[0] ?? "";
}

const kindColumns: readonly Column<DeadLetterKindSummary>[] = [
  { head: "KIND", of: nameOf },
  { head: "COUNT", of: ({ count, complete }) => (complete ? count : `${count}+`) },
  { head: "SIZE", of: ({ bytes }) => (bytes === undefined ? "" : sizeOf(bytes)) },
  { head: "OLDEST", of: ({ oldestTime }) => timeOf(oldestTime) },
  { head: "NEWEST", of: ({ newestTime }) => timeOf(newestTime) },
];

/** Prints the reasons of a kind, the most frequent first. */
export async function printReasons(
  kind: string,
  client: DeadLettersClient,
  output: MessageOutput,
): Promise<void> {
  const { reasons } = await client.listReasons({ kind: kindNumbers[kind]! });
  if (output.json) return writeJson(output.stdout, DeadLetterReasonSchema, reasons);
  const columns = [...(placeColumns[kind] ?? []), ...reasonColumns];
  output.stdout.write(reasons.length === 0 ? "no dead letters\n" : formatTable(columns, reasons));
}

type Placed = Pick<DeadLetter, "channel" | "target" | "projectId">;

/** Columns that say where rows of a kind belong. */
const placeColumns: Readonly<Record<string, readonly Column<Placed>[]>> = {
  webhook: [
    { head: "CHANNEL", of: ({ channel }) => channel },
    { head: "TARGET", of: ({ target }) => target },
  ],
  record: [{ head: "PROJECT", of: ({ projectId }) => (projectId === 0n ? "" : projectId) }],
};

const reasonColumns: readonly Column<DeadLetterReason>[] = [
  { head: "COUNT", of: ({ count }) => count },
  { head: "NEWEST", of: ({ newestTime }) => timeOf(newestTime) },
  { head: "REASON", of: ({ reason }) => reason },
  { head: "EXAMPLE", of: ({ example }) => example?.message || example?.pushId || "" },
];

/** Prints dead letters of a kind. */
export async function printList(
  kind: string,
  options: ListOptions,
  client: DeadLettersClient,
  output: MessageOutput,
): Promise<void> {
  const { limit, oldestFirst } = options;
  const filter = filterOf(kind, options);
  const order = oldestFirst ? DeadLetterOrder.OLDEST : DeadLetterOrder.NEWEST;
  const found = await collectRows(limit, maxPageSize, async (page) => {
    const { deadLetters: rows, nextPageToken } = await client.listDeadLetters({ filter, order, ...page });
    return { rows, nextPageToken };
  });
  const columns = [...idColumns, ...(placeColumns[kind] ?? []), ...letterColumns];
  writeRows(output, { schema: DeadLetterSchema, columns, none: "no dead letters" }, found);
}

const maxPageSize = 200;

const idColumns: readonly Column<DeadLetter>[] = [
  { head: "ID", of: ({ deadLetterId }) => deadLetterId },
  { head: "SINCE", of: ({ deadTime }) => timeOf(deadTime) },
];
const letterColumns: readonly Column<DeadLetter>[] = [
  { head: "REASON", of: ({ reason }) => reason },
  { head: "DETAILS", of: ({ message, pushId }) => message || pushId },
];

/** Prints dead letters as lines of JSON, as fast as they are read. */
export async function exportAll(
  kind: string,
  options: FilterOptions,
  client: DeadLettersClient,
  { stdout }: MessageOutput,
): Promise<void> {
  const decoder = new TextDecoder();
  const request = { filter: filterOf(kind, options) };
  // An export may take longer than a call is waited for.
  for await (const { body } of client.exportDeadLetters(request, { timeoutMs: 0 })) {
    const text = body === undefined ? "" : decoder.decode(body.data, { stream: true });
    if (text !== "" && !writeForeign(stdout, text)) await once(stdout, "drain");
  }
}

/** Replays call by call until the end, or only counts. */
export async function replay(
  kind: string,
  options: ReplayOptions,
  client: DeadLettersClient,
  { stdout, json }: MessageOutput,
): Promise<void> {
  const filter = filterOf(kind, options);
  if (options.dryRun) {
    const count = await countAll(filter, client);
    const text = `${exactCountOf(count, "dead letter")} would be replayed\n`;
    stdout.write(json ? `${JSON.stringify({ count: Number(count) })}\n` : text);
    return;
  }
  const sum = { replayed: 0n, refused: 0n, incomplete: 0n };
  let firstRefusal = "";
  let pageToken = "";
  do {
    const part = await client.replayDeadLetters({ filter, all: options.all === true, pageToken });
    for (const name of ["replayed", "refused", "incomplete"] as const) sum[name] += part[name];
    firstRefusal ||= part.firstRefusal;
    pageToken = part.nextPageToken;
  } while (pageToken !== "");
  if (json) {
    const { replayed, refused, incomplete } = sum;
    const counts = { replayed: Number(replayed), refused: Number(refused), incomplete: Number(incomplete) };
    writeForeign(stdout, `${JSON.stringify({ ...counts, firstRefusal })}\n`);
    return;
  }
  writeForeign(stdout, `${exactCountOf(sum.replayed, "dead letter")} handed on again\n`);
  if (sum.refused > 0n) writeForeign(stdout, `${sum.refused} refused again, the first: ${firstRefusal}\n`);
  if (sum.incomplete > 0n) stdout.write(`${sum.incomplete} not kept as a whole\n`);
}

type Filter = MessageInitShape<typeof DeadLetterFilterSchema>;

async function countAll(filter: Filter, client: DeadLettersClient): Promise<bigint> {
  let count = 0n;
  let pageToken = "";
  do {
    const part = await client.countDeadLetters({ filter, pageToken });
    count += part.count;
    pageToken = part.nextPageToken;
  } while (pageToken !== "");
  return count;
}

/** @throws UserError */
function filterOf(kind: string, options: FilterOptions): Filter {
  const { id = "", reason = "", text = "", project = 0, channel = "", target = "", index = "" } = options;
  const from = momentOf("--from", options.from);
  const until = momentOf("--until", options.until);
  return {
    kind: kindNumbers[kind]!,
    deadLetterId: id,
    reason,
    text,
    projectId: BigInt(project),
    channel,
    target,
    index,
    ...(from !== undefined && { deadFrom: from }),
    ...(until !== undefined && { deadUntil: until }),
  };
}

/** A time without a zone would be another one on each machine. */
function momentOf(option: string, text: string | undefined): Timestamp | undefined {
  if (text === undefined) return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const ms = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return timestampFromMs(ms);
  const valid = "a time with its zone, such as 2026-01-02T03:04:05Z";
  throw new UserError(`${option} is ${quoteText(text)}, valid is ${valid}`);
}
