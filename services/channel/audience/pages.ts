import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { plainText } from "../../../base/text/plain-text.ts";
import { keyBytes, SeenIds } from "./seen-ids.ts";
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
  readonly taken?: SeenIds;
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
  const seen = new SeenIds();
  const textsOf = compileTexts(variants);
  const { languageProperty } = variants;
  let pages = 1;
  let page = new PageCounts(pageRecipients(0));
  let processed = 0;
  for await (const some of members) {
    for (const { pushId = "", properties } of some) {
      if (page.recipients === page.most) {
        yield page.close(false);
        page = new PageCounts(pageRecipients(pages++));
      }
      // Lists in memory would otherwise block the event loop until their end.
      if (++processed % membersPerYield === 0) await yieldToEventLoop();
      if (pushId.trim() === "" || !seen.add(pushId)) {
        page.filtered++;
        continue;
      }
      if (taken?.hasKey(seen.key, 0)) continue;
      const language = languageProperty && plainText(properties[languageProperty]);
      const variant = variants.choose(pushId, language);
      if (variant === -1) page.control++;
      else {
        take(pushId, variant, textsOf(variant, properties));
        page.add(seen.key);
      }
    }
  }
  yield page.close(true);
}

/** Reads the keys of stored pages. */
export function readTaken(pages: readonly Uint8Array[]): SeenIds {
  const taken = new SeenIds();
  for (const page of pages) {
    // A page may begin anywhere in a larger buffer.
    const keys = new Int32Array(Uint8Array.from(page).buffer);
    for (let at = 0; at < keys.length; at += keyBytes / keys.BYTES_PER_ELEMENT) taken.addKey(keys, at);
  }
  return taken;
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
    this.#keys = new Int32Array((most * keyBytes) / Int32Array.BYTES_PER_ELEMENT);
  }

  add(key: Int32Array): void {
    const at = this.recipients * key.length;
    // `set` takes longer for a few elements.
    for (let lane = 0; lane < key.length; lane++) this.#keys[at + lane] = key[lane]!;
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
