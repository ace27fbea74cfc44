import { toJson } from "@bufbuild/protobuf";
import { z } from "zod";
import { valueNumber, valueWord, valueWords } from "../../../base/protobuf/value-words.ts";
import { listKnown } from "../../../base/text/known-names.ts";
import {
  type DeadLetter,
  type DeadLetterKind,
  DeadLetterKindSchema,
} from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import {
  type Delivery,
  DeliverySchema,
  type DeliveryState,
  DeliveryStateSchema,
} from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { Calls } from "../calls.ts";
import { cursorMark, type Output } from "../output.ts";
import { cursor, placeOf } from "../project.ts";
import { timeText } from "../time-text.ts";
import { defineTool, type Tool, ToolError } from "../tool.ts";

const name = "deliveries";

const input = z.strictObject({
  show: z
    .enum(["deliveries", "delivery", "dead_letter_kinds", "dead_letter_reasons", "dead_letters"])
    .describe("deliveries: webhook messages at their targets. dead_letters: what was refused or given up."),
  delivery_id: z.string().optional().describe("For delivery."),
  state: z.enum(valueWords(DeliveryStateSchema)).optional().describe("For deliveries."),
  kind: z.enum(valueWords(DeadLetterKindSchema)).optional().describe("For reasons and dead_letters."),
  channel: z.string().optional(),
  target: z.string().optional(),
  push_id: z.string().optional().describe("For deliveries."),
  reason: z.string().optional().describe("A part of it for deliveries; all of it for dead_letters."),
  project_id: z.int().min(1).optional().describe("For dead_letters of kind record."),
  cursor,
});

type Input = z.output<typeof input>;

/** Creates the tool that shows deliveries and dead letters. */
export function createDeliveries(): Tool {
  return defineTool({
    name,
    title: "Deliveries and dead letters",
    description:
      "Shows what happened to incoming webhook messages, and what was refused (messages, clicks, log lines, records), with reasons. Begin with dead_letter_kinds.",
    input,
    run: (given, calls) => shows[given.show](given, calls),
  });
}

type Show = (given: Input, calls: Calls) => Promise<Output>;

const shows: Readonly<Record<Input["show"], Show>> = {
  async deliveries(given, { webhooks }) {
    const mark = cursorMark(name, given);
    const place = placeOf(given.cursor, mark);
    const { deliveries, nextPageToken } = await webhooks.listDeliveries({
      filter: {
        channel: given.channel ?? "",
        target: given.target ?? "",
        pushId: given.push_id ?? "",
        reason: given.reason ?? "",
      },
      state: valueNumber(DeliveryStateSchema, given.state) as DeliveryState,
      pageSize: 100,
      pageToken: place.token,
    });
    const items = deliveries.slice(place.skip).map(shownDelivery);
    return { head: {}, list: { name: "deliveries", items, place, nextToken: nextPageToken, mark } };
  },

  async delivery({ delivery_id: deliveryId = "" }, { webhooks }) {
    if (deliveryId === "") throw new ToolError("delivery_id is required");
    const { delivery } = await webhooks.getDelivery({ deliveryId });
    if (delivery === undefined) throw new ToolError("the delivery is not known");
    return { head: { delivery: toJson(DeliverySchema, delivery) } };
  },

  async dead_letter_kinds(_given, { deadLetters }) {
    const { kinds } = await deadLetters.listKinds({});
    return {
      head: {
        kinds: kinds.map((one) => ({
          kind: valueWord(DeadLetterKindSchema, one.kind),
          count: Number(one.count),
          is_complete: one.complete,
          oldest: timeText(one.oldestTime),
          newest: timeText(one.newestTime),
        })),
      },
    };
  },

  async dead_letter_reasons(given, { deadLetters }) {
    const mark = cursorMark(name, given);
    const place = placeOf(given.cursor, mark);
    const { reasons, complete } = await deadLetters.listReasons({ kind: kindOf(given) });
    const items = reasons.slice(place.skip).map((one) => ({
      reason: one.reason,
      count: Number(one.count),
      ...originOf(one),
      newest: timeText(one.newestTime),
      example: one.example && shownLetter(one.example),
    }));
    return { head: { is_complete: complete }, list: { name: "reasons", items, place, nextToken: "", mark } };
  },

  async dead_letters(given, { deadLetters }) {
    const mark = cursorMark(name, given);
    const place = placeOf(given.cursor, mark);
    const { deadLetters: letters, nextPageToken } = await deadLetters.listDeadLetters({
      filter: {
        kind: kindOf(given),
        reason: given.reason ?? "",
        channel: given.channel ?? "",
        target: given.target ?? "",
        projectId: BigInt(given.project_id ?? 0),
      },
      pageSize: 50,
      pageToken: place.token,
    });
    const items = letters.slice(place.skip).map(shownLetter);
    return { head: {}, list: { name: "dead_letters", items, place, nextToken: nextPageToken, mark } };
  },
};

function kindOf({ kind }: Input): DeadLetterKind {
  if (kind !== undefined) return valueNumber(DeadLetterKindSchema, kind) as DeadLetterKind;
  throw new ToolError(`kind is required, ${listKnown(valueWords(DeadLetterKindSchema))}`);
}

function shownDelivery(delivery: Delivery): object {
  const { deliveryId, channel, target, pushId, state, attempts, reason } = delivery;
  return {
    delivery_id: deliveryId,
    channel,
    target,
    push_id: pushId,
    state: valueWord(DeliveryStateSchema, state),
    ...(attempts !== undefined && { attempts }),
    ...(reason !== "" && { reason }),
    accepted: timeText(delivery.acceptedTime),
    due: timeText(delivery.dueTime),
  };
}

/** Returns the members that say where something came from, without the empty ones. */
function originOf(one: Pick<DeadLetter, "projectId" | "channel" | "target">): object {
  return {
    ...(one.projectId !== 0n && { project_id: Number(one.projectId) }),
    ...(one.channel !== "" && { channel: one.channel }),
    ...(one.target !== "" && { target: one.target }),
  };
}

function shownLetter(letter: DeadLetter): object {
  const { message, pushId, source, index, format, content } = letter;
  return {
    dead_letter_id: letter.deadLetterId,
    time: timeText(letter.deadTime),
    reason: letter.reason,
    ...(message !== "" && { message }),
    ...originOf(letter),
    ...(pushId !== "" && { push_id: pushId }),
    ...(source !== "" && { source }),
    ...(index !== "" && { index }),
    ...(format !== "" && { format }),
    ...(content.length > 0 && { content: new TextDecoder().decode(content) }),
    ...(letter.contentIsCut && { content_is_cut: true }),
  };
}
