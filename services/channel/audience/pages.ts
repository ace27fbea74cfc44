import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { plainText } from "../../../base/text/plain-text.ts";
import { KeySet } from "./key-set.ts";
import { keyBytes, keyLanes, writePushIdKey } from "./keys.ts";
import { ReachableMembers } from "./reachable.ts";
import type { AudienceMember } from "./source.ts";
import type { Variants } from "./variants.ts";

/** Adds a recipient. @param texts values of the variant's properties; valid until the next call */
export type AddRecipient = (pushId: string, variant: number, texts: readonly string[]) => void;

/** A part of an audience. All counts are of the members since the previous page. */
export interface AudiencePage {
  /** Members without a push id, or with one that an earlier member has. */
  readonly filtered: number;
  /** Members in the control group of an A/B test. */
  readonly control: number;
  /** Members that get a message. */
  readonly recipients: number;
  /** Keys of the recipients, to skip them when the audience is read again. */
  readonly keys: Uint8Array;
  readonly isLast: boolean;
}

export interface SortOptions {
  readonly variants: Variants;
  readonly take: AddRecipient;
  /** Returns the number of recipients of a page, counted from 0; the last page may have fewer. */
  readonly pageRecipients: (page: number) => number;
  /** Recipients of an earlier read: they are skipped and not counted. */
  readonly taken?: KeySet;
}

/** Members that are processed before the event loop runs other work. */
const membersPerYield = 5_000;

/**
 * Divides an audience into pages of exactly `pageRecipients` recipients. The same members make the same pages. Yields
 * at least one page.
 */
export async function* sortAudience(
  members: AsyncIterable<readonly AudienceMember[]>,
  { variants, take, pageRecipients, taken }: SortOptions,
): AsyncGenerator<AudiencePage> {
  const reachable = new ReachableMembers();
  const textsOf = compileTexts(variants);
  const { languageProperty } = variants;
  let pages = 1;
  let page = new PageCounts(pageRecipients(0));
  let processed = 0;
  for await (const some of members) {
    for (const member of some) {
      if (page.recipients === page.most) {
        yield page.close(false);
        page = new PageCounts(pageRecipients(pages++));
      }
      // Lists in memory would otherwise block the event loop until their end.
      if (++processed % membersPerYield === 0) await yieldToEventLoop();
      if (!reachable.add(member)) {
        page.filtered++;
        continue;
      }
      if (taken !== undefined && isTaken(member, reachable.key, taken)) continue;
      const { pushId = "", properties } = member;
      const language = languageProperty && plainText(properties[languageProperty]);
      const variant = variants.choose(pushId, language);
      if (variant === -1) page.control++;
      else {
        take(pushId, variant, textsOf(variant, properties));
        page.add(reachable.key);
      }
    }
  }
  yield page.close(true);
}

/** Reads the keys of stored pages. */
export function readTaken(pages: readonly Uint8Array[]): KeySet {
  const taken = new KeySet();
  for (const page of pages) {
    // A page may begin anywhere in a larger buffer.
    const keys = new Int32Array(Uint8Array.from(page).buffer);
    for (let at = 0; at < keys.length; at += keyLanes) taken.add(keys, at);
  }
  return taken;
}

/** Reports whether a page has the member's key. Versions without keys of users stored those of push ids instead. */
function isTaken({ pushId = "", userId }: AudienceMember, key: Int32Array, taken: KeySet): boolean {
  if (taken.has(key)) return true;
  return userId !== undefined && taken.has(writePushIdKey(pushId, new Int32Array(keyLanes)));
}

class PageCounts {
  filtered = 0;
  control = 0;
  recipients = 0;
  /** The number of recipients of a whole page. */
  readonly most: number;
  readonly #keys: Int32Array;

  constructor(most: number) {
    this.most = most;
    this.#keys = new Int32Array(most * keyLanes);
  }

  add(key: Int32Array): void {
    const at = this.recipients * keyLanes;
    // `set` takes longer for a few elements.
    for (let lane = 0; lane < keyLanes; lane++) this.#keys[at + lane] = key[lane]!;
    this.recipients++;
  }

  close(isLast: boolean): AudiencePage {
    const { filtered, control, recipients } = this;
    const keys = new Uint8Array(this.#keys.buffer).slice(0, recipients * keyBytes);
    return { filtered, control, recipients, keys, isLast };
  }
}

/** Compiles the function that returns the values of a variant's properties, in an array that it reuses. */
function compileTexts({
  all,
}: Variants): (variant: number, properties: AudienceMember["properties"]) => readonly string[] {
  const texts = all.map(({ element }) => element.properties.map(() => ""));
  return (variant, properties) => {
    const own = texts[variant]!;
    const names = all[variant]!.element.properties;
    for (let i = 0; i < names.length; i++) own[i] = plainText(properties[names[i]!]);
    return own;
  };
}
