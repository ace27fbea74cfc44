import { setImmediate as turn } from "node:timers/promises";
import { plainText } from "../../../base/text/plain-text.ts";
import { keyBytes, SeenIds } from "./seen-ids.ts";
import type { AudienceMember } from "./source.ts";
import type { Variants } from "./variants.ts";

/** Takes someone who is to be sent to. @param texts of the variant's properties; good until the next call */
export type TakeRecipient = (pushId: string, variant: number, texts: readonly string[]) => void;

/** A piece of an audience, sorted out. What is counted came since the page before. */
export interface AudiencePage {
  /** Left out: no push id, or one that came before. */
  readonly filtered: number;
  /** Left out as the control of an A/B test. */
  readonly control: number;
  /** Those who were taken. */
  readonly recipients: number;
  /** Their keys, by which they are left out when the audience is read again. */
  readonly keys: Uint8Array;
  readonly isLast: boolean;
}

export interface SortOptions {
  readonly variants: Variants;
  readonly take: TakeRecipient;
  /** Recipients of each page but the last. */
  readonly pageRecipients: number;
  /** Who was taken when the audience was read before: passed over, and not counted. */
  readonly taken?: SeenIds;
}

/** Members that are looked at before others may do something. */
const turnMembers = 5_000;

/**
 * Sorts an audience into pages, each of exactly so many recipients but the
 * last. The same members make the same pages. There is one page at least.
 */
export async function* sortAudience(
  members: AsyncIterable<readonly AudienceMember[]>,
  { variants, take, pageRecipients, taken }: SortOptions,
): AsyncGenerator<AudiencePage> {
  const seen = new SeenIds();
  const textsOf = compileTexts(variants);
  const { languageProperty } = variants;
  let page = new PageCounts(pageRecipients);
  let looked = 0;
  for await (const some of members) {
    for (const { pushId = "", properties } of some) {
      if (page.recipients === pageRecipients) {
        yield page.close(false);
        page = new PageCounts(pageRecipients);
      }
      // Lists in memory would otherwise hold the event loop until their end.
      if (++looked % turnMembers === 0) await turn();
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

/** Reads keys of pages back. */
export function readTaken(pages: readonly Uint8Array[]): SeenIds {
  const taken = new SeenIds();
  for (const page of pages) {
    // A page may begin anywhere in a larger buffer.
    const keys = new Uint32Array(Uint8Array.from(page).buffer);
    for (let at = 0; at < keys.length; at += keyBytes / keys.BYTES_PER_ELEMENT) taken.addKey(keys, at);
  }
  return taken;
}

class PageCounts {
  filtered = 0;
  control = 0;
  recipients = 0;
  readonly #keys: Uint32Array;

  constructor(pageRecipients: number) {
    this.#keys = new Uint32Array((pageRecipients * keyBytes) / Uint32Array.BYTES_PER_ELEMENT);
  }

  add(key: Uint32Array): void {
    this.#keys.set(key, this.recipients * key.length);
    this.recipients++;
  }

  close(isLast: boolean): AudiencePage {
    const { filtered, control, recipients } = this;
    const keys = new Uint8Array(this.#keys.buffer).slice(0, recipients * keyBytes);
    return { filtered, control, recipients, keys, isLast };
  }
}

/** Texts of a variant's properties, in an array that is used again. */
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
