import type { DescEnum, DescField } from "@bufbuild/protobuf";
import type { TextKey } from "../texts/catalogue.ts";

/** Returns the key of the name of a field: the texts have one for each field that a form shows. */
export function labelKeyOf({ parent, name }: DescField): TextKey {
  return `field.${parent.name}.${name}` as TextKey;
}

/** Returns the key of the name of an enum's value. */
export function valueKeyOf({ name }: DescEnum, localName: string): TextKey {
  return `value.${name}.${localName}` as TextKey;
}
