import { knownNames } from "../text/known-names.ts";

const all = 'valid are offsets such as "+08:00" and names such as "Europe/Berlin"';

/** Says which time zones exist, to follow a message that one is not known. */
export function knownZones(text: string): string {
  return knownNames(text, Intl.supportedValuesOf("timeZone"), { all });
}
