import { toJsonString } from "@bufbuild/protobuf";
import { exactCountOf } from "../../base/text/count.ts";
import {
  type Delivery,
  DeliverySchema,
  DeliveryState,
  type GetStatsResponse,
  GetStatsResponseSchema,
  ReplayDeadLettersResponseSchema,
  type TargetStats,
} from "../../gen/engage/webhook/v1/delivery_pb.ts";
import { collectRows } from "../client/collect-rows.ts";
import { type MessageOutput, timeOf, writeJson, writeRows } from "../terminal/messages.ts";
import { sizeOf } from "../terminal/sizes.ts";
import { type Column, formatTable, printable } from "../terminal/table.ts";
import { writeForeign } from "../terminal/terminal.ts";
import type { WebhookClient } from "./client.ts";

/** Selects messages; a name that is left out matches all. */
export interface MessageFilter {
  readonly channel?: string;
  readonly target?: string;
  readonly batch?: string;
  readonly request?: string;
  readonly pushId?: string;
  readonly delivery?: string;
}

/** States by their names on the command line. */
const deliveryStates: Readonly<Record<string, DeliveryState>> = {
  pending: DeliveryState.PENDING,
  leased: DeliveryState.LEASED,
  delivered: DeliveryState.DELIVERED,
  dead: DeliveryState.DEAD,
};

function stateOf({ state }: Delivery): string {
  return Object.entries(deliveryStates).find(([, number]) => number === state)?.[0] ?? "";
}

/** Prints the counts of messages and the state of the inbox. */
export async function printStats(
  client: WebhookClient,
  { channel = "" }: MessageFilter,
  output: MessageOutput,
): Promise<void> {
  const stats = await client.getStats({ channel });
  if (output.json) return writeJson(output.stdout, GetStatsResponseSchema, [stats]);
  const table = formatTable(statsColumns, stats.targets);
  output.stdout.write(`${stats.targets.length === 0 ? "no messages yet\n" : table}${describeInbox(stats)}\n`);
}

const statsColumns: readonly Column<TargetStats>[] = [
  { head: "CHANNEL", of: ({ channel }) => channel },
  { head: "TARGET", of: ({ target }) => target },
  { head: "ACCEPTED", of: ({ accepted }) => accepted },
  { head: "DELIVERED", of: ({ delivered }) => delivered },
  { head: "DEAD", of: ({ dead }) => dead },
  { head: "PENDING", of: ({ pending }) => pending },
];

function describeInbox({ inbox }: GetStatsResponse): string {
  if (inbox === undefined) return "inbox: unknown";
  const { writable, reason, usedBytes, freeBytes, oldestPendingTime } = inbox;
  const parts = [
    writable ? "accepts batches" : `accepts no batches (${printable(reason)})`,
    ...(usedBytes === undefined ? [] : [`uses ${sizeOf(usedBytes)}`]),
    ...(freeBytes === undefined ? [] : [`${sizeOf(freeBytes)} free`]),
    ...(oldestPendingTime === undefined ? [] : [`oldest pending message from ${timeOf(oldestPendingTime)}`]),
  ];
  return `inbox: ${parts.join(", ")}`;
}

/** Prints deliveries, the newest batch first. */
export async function printDeliveries(
  client: WebhookClient,
  filter: MessageFilter,
  { state, limit }: { readonly state?: string; readonly limit: number },
  output: MessageOutput,
): Promise<void> {
  const { channel = "", target = "", batch = "", request = "", pushId = "" } = filter;
  const found = await collectRows(limit, maxPageSize, async (page) => {
    const response = await client.listDeliveries({
      filter: { channel, target, batchId: batch, requestId: request, pushId },
      state: state === undefined ? DeliveryState.UNSPECIFIED : deliveryStates[state]!,
      ...page,
    });
    return { rows: response.deliveries, nextPageToken: response.nextPageToken };
  });
  writeRows(output, { schema: DeliverySchema, columns: deliveryColumns, none: "no deliveries" }, found);
}

const idColumns: readonly Column<Delivery>[] = [
  { head: "DELIVERY", of: ({ deliveryId }) => deliveryId },
  { head: "CHANNEL", of: ({ channel }) => channel },
  { head: "TARGET", of: ({ target }) => target },
  { head: "PUSH ID", of: ({ pushId }) => pushId },
];
const reasonColumn: Column<Delivery> = { head: "REASON", of: ({ reason }) => reason };
const attemptsColumn: Column<Delivery> = {
  head: "ATTEMPTS",
  of: ({ attempts }) => (attempts === undefined ? "" : String(attempts)),
};

const deliveryColumns: readonly Column<Delivery>[] = [
  ...idColumns,
  { head: "STATE", of: stateOf },
  attemptsColumn,
  { head: "ACCEPTED", of: ({ acceptedTime }) => timeOf(acceptedTime) },
  reasonColumn,
];

/** Prints one delivery with its message, as JSON. */
export async function printDelivery(
  client: WebhookClient,
  deliveryId: string,
  { stdout }: Pick<MessageOutput, "stdout">,
): Promise<void> {
  const { delivery } = await client.getDelivery({ deliveryId });
  writeForeign(stdout, `${toJsonString(DeliverySchema, delivery!, { prettySpaces: 2 })}\n`);
}

/** Prints dead letters, the latest first. */
export async function printDeadLetters(
  client: WebhookClient,
  filter: MessageFilter,
  { limit }: { readonly limit: number },
  output: MessageOutput,
): Promise<void> {
  const found = await collectRows(limit, maxPageSize, async (page) => {
    const response = await client.listDeadLetters({ filter: deadLetterFilter(filter), ...page });
    return { rows: response.deadLetters, nextPageToken: response.nextPageToken };
  });
  const columns = [...idColumns, attemptsColumn, deadColumn, reasonColumn];
  writeRows(output, { schema: DeliverySchema, columns, none: "no dead letters" }, found);
}

const deadColumn: Column<Delivery> = { head: "DEAD SINCE", of: ({ deadTime }) => timeOf(deadTime) };

function deadLetterFilter(filter: MessageFilter) {
  const { channel = "", target = "", batch = "", request = "", pushId = "", delivery = "" } = filter;
  return { channel, target, batchId: batch, requestId: request, pushId, deliveryId: delivery };
}

export interface ReplayOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly nonce?: string;
}

/** Returns dead letters to the pending messages, or only counts them. */
export async function replayDeadLetters(
  client: WebhookClient,
  filter: MessageFilter,
  { all = false, dryRun = false, nonce = "" }: ReplayOptions,
  output: MessageOutput,
): Promise<void> {
  const request = { filter: deadLetterFilter(filter), all, dryRun, nonce };
  const response = await client.replayDeadLetters(request);
  if (output.json) return writeJson(output.stdout, ReplayDeadLettersResponseSchema, [response]);
  const { count } = response;
  const what = exactCountOf(count, "dead letter");
  output.stdout.write(dryRun ? `${what} would be replayed\n` : `${what} returned to the pending messages\n`);
}

/** The server returns at most this many rows per page. */
const maxPageSize = 1_000;
