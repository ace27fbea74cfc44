import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { propertyText } from "../content/property-text.ts";
import { SeenIds } from "./seen-ids.ts";
import type { AudienceMember } from "./source.ts";
import type { Variants } from "./variants.ts";

/** Someone to be sent to: the push id, the variant, and the texts of the variant's properties. */
export type Recipient = readonly [pushId: string, variant: number, ...texts: string[]];

/** A piece of an audience, sorted out; what is counted came since the page before. */
export interface AudiencePage {
  readonly planned: number;
  readonly filtered: number;
  readonly control: number;
  readonly recipients: readonly Recipient[];
  readonly isLast: boolean;
}

/**
 * Sorts an audience into pages, each of exactly so many recipients but the
 * last. The same members make the same pages. There is one page at least.
 */
export async function* sortAudience(
  members: AsyncIterable<readonly AudienceMember[]>,
  variants: Variants,
  pageRecipients: number,
): AsyncGenerator<AudiencePage> {
  const seen = new SeenIds();
  let counts = { planned: 0, filtered: 0, control: 0 };
  let recipients: Recipient[] = [];
  for await (const some of members) {
    for (const { pushId = "", properties } of some) {
      if (recipients.length === pageRecipients) {
        yield { ...counts, recipients, isLast: false };
        counts = { planned: 0, filtered: 0, control: 0 };
        recipients = [];
        // Lists in memory would otherwise hold the event loop until their end.
        await turn();
      }
      counts.planned++;
      if (pushId.trim() === "" || !seen.add(pushId)) {
        counts.filtered++;
        continue;
      }
      const language = variants.languageProperty && propertyText(properties[variants.languageProperty]);
      const variant = variants.choose(pushId, language);
      if (variant === -1) counts.control++;
      else recipients.push([pushId, variant, ...textsOf(variants, variant, properties)]);
    }
  }
  yield { ...counts, recipients, isLast: true };
}

function textsOf(
  { all }: Variants,
  variant: number,
  properties: AudienceMember["properties"],
): readonly string[] {
  return all[variant]!.element.properties.map((name) => propertyText(properties[name]));
}

const deflated = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw);
const inflated = promisify<Uint8Array, Buffer>(inflateRaw);

/** A page as it is kept; a fast compression, since most of a million of them is repetition. */
export function encodePage(page: AudiencePage): Promise<Buffer> {
  return deflated(Buffer.from(JSON.stringify(page)), { level: 1 });
}

export async function decodePage(data: Uint8Array): Promise<AudiencePage> {
  return JSON.parse((await inflated(data)).toString());
}
