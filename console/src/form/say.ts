import type { DescEnum, DescField } from "@bufbuild/protobuf";
import type { TextKey } from "../texts/catalogue.ts";
import { formatNumber } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { describeLimits, type LimitText } from "./limits.ts";
import { labelKeyOf, valueKeyOf } from "./text-keys.ts";

/** Texts whose keys come from the contract: a test has the key of each field that a form shows. */
const translate = t as (key: TextKey, values?: Readonly<Record<string, string>>) => string;

/** Says a limit or a fault in the chosen language. */
export function say({ key, values = {} }: LimitText): string {
  const shown = Object.entries(values).map(([name, value]) => [name, grouped(value)]);
  return translate(key, Object.fromEntries(shown) as Record<string, string>);
}

/** Writes long numbers with separators. */
function grouped(value: string): string {
  return /^\d{4,15}$/.test(value) ? formatNumber(Number(value)) : value;
}

/** Says all limits of a field; undefined if it has none. */
export function sayLimits(field: DescField): string | undefined {
  const limits = describeLimits(field);
  return limits.length === 0 ? undefined : limits.map(say).join(" · ");
}

export function labelOf(field: DescField): string {
  return translate(labelKeyOf(field));
}

/** The values of an enum that can be chosen, by their numbers. */
export function choicesOf(desc: DescEnum): readonly { readonly value: string; readonly text: string }[] {
  return desc.values
    .filter(({ number }) => number !== 0)
    .map(({ number, localName }) => ({
      value: String(number),
      text: translate(valueKeyOf(desc, localName)),
    }));
}

/** Says why a button that calls the server does nothing while a call runs. */
export function busyText(isBusy: boolean): string | undefined {
  return isBusy ? t("form.busy") : undefined;
}
