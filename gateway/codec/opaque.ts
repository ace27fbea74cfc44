import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/**
 * The one field of a message type that only carries opaque bytes, for which the
 * codecs go around the reflection of protobuf-es. Field numbers from 16 on take
 * a longer tag and are left to it.
 */
export function opaqueFieldOf({ fields }: DescMessage): DescField | undefined {
  const [field] = fields;
  const isOpaque =
    fields.length === 1 &&
    field?.fieldKind === "scalar" &&
    field.scalar === ScalarType.BYTES &&
    field.oneof === undefined &&
    field.number < 16;
  return isOpaque ? field : undefined;
}
