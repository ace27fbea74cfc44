import { asBuffer } from "../../../base/json/utf8.ts";
import type { DeadLetter, DeadLetterFilter, DeadLetterGroup, Inbox } from "../../../store/inbox/inbox.ts";
import type { DeadLetterSource, FoundDeadLetter, FoundGroup, SourceFilter } from "./source.ts";

export interface MessagesOptions {
  readonly inbox: Pick<Inbox, "deadLetters" | "deadLetterGroups" | "delivery" | "replay">;
  /** Returns a unique text for each replay. */
  readonly newNonce: () => string;
}

/** Counting reads rows alone. */
const countLimit = 1_000;
const countsPerCall = 20;

/** Creates the source over the dead letters of the inbox. */
export function createMessageSource({ inbox, newNonce }: MessagesOptions): DeadLetterSource {
  return {
    fields: ["channel", "target"],
    replayObstacle: undefined,
    async groups() {
      const { groups, isComplete } = await inbox.deadLetterGroups();
      return { groups: groups.map(toGroup), isComplete };
    },
    async list(filter, { limit, after, order }) {
      const page = { limit, order, ...(after !== undefined && { after }) };
      const { items, next } = await inbox.deadLetters(inboxFilterOf(filter), page);
      return { items: items.map((letter) => foundOf(letter)), next };
    },
    async get(id) {
      const { items } = await inbox.deadLetters({ deliveryId: id }, { limit: 1 });
      const letter = items[0];
      return letter === undefined ? null : foundOf(letter, await contentOf(inbox, id));
    },
    async count(filter, after) {
      let count = 0;
      let place = after;
      for (let calls = 0; calls < countsPerCall; calls++) {
        const request = { nonce: newNonce(), dryRun: true, limit: countLimit };
        const part = await inbox.replay(inboxFilterOf(filter), {
          ...request,
          ...(place !== undefined && { after: place }),
        });
        count += part.count;
        place = part.next ?? undefined;
        if (place === undefined) break;
      }
      return { count, next: place ?? null };
    },
    async replay(filter, { limit, after }) {
      const request = { nonce: newNonce(), limit, ...(after !== undefined && { after }) };
      const { count, next = null } = await inbox.replay(inboxFilterOf(filter), request);
      return { replayed: count, refused: 0, incomplete: 0, firstRefusal: "", next };
    },
    async export(filter, { limit, after }) {
      const page = { limit, ...(after !== undefined && { after }) };
      const { items, next } = await inbox.deadLetters(inboxFilterOf(filter), page);
      return { items: linesOf(inbox, items), next };
    },
  };
}

function inboxFilterOf({
  id,
  reason,
  text,
  channel,
  target,
  fromMs,
  untilMs,
}: SourceFilter): DeadLetterFilter {
  return {
    ...(id !== undefined && { deliveryId: id }),
    ...(reason !== undefined && { wholeReason: reason }),
    ...(text !== undefined && { reason: text }),
    ...(channel !== undefined && { channel }),
    ...(target !== undefined && { target }),
    ...(fromMs !== undefined && { fromMs }),
    ...(untilMs !== undefined && { toMs: untilMs }),
  };
}

/** Returns undefined when the message is lost or damaged. */
async function contentOf(
  inbox: Pick<Inbox, "delivery">,
  deliveryId: string,
): Promise<Uint8Array | undefined> {
  return (await inbox.delivery(deliveryId))?.json;
}

function foundOf(letter: DeadLetter, content?: Uint8Array): FoundDeadLetter {
  const { deliveryId, channel, target, pushId, reason, diedAtMs } = letter;
  const common = { deliveryId, channel, target, pushId, reason, message: "", lines: 1, isIncomplete: false };
  return { id: deliveryId, timeMs: diedAtMs, content, ...common };
}

function toGroup({ example, ...group }: DeadLetterGroup): FoundGroup {
  return { ...group, example: foundOf(example) };
}

async function* linesOf(inbox: Pick<Inbox, "delivery">, letters: readonly DeadLetter[]) {
  for (const letter of letters) yield lineOf(letter, await contentOf(inbox, letter.deliveryId));
}

/** The message stands last and as it was received, with all digits of its numbers. */
function lineOf(letter: DeadLetter, content: Uint8Array | undefined): string {
  const { deliveryId, channel, target, pushId, reason, attempts, diedAtMs } = letter;
  const fields = JSON.stringify({
    time: new Date(diedAtMs).toISOString(),
    channel,
    target,
    push_id: pushId,
    reason,
    attempts,
    delivery_id: deliveryId,
  });
  if (content === undefined) return fields;
  const message = asBuffer(content)
    .toString("utf8")
    .replaceAll(/[\r\n]+\s*/g, " ");
  return `${fields.slice(0, -1)},"message":${message}}`;
}
