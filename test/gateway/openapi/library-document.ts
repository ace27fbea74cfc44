import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { RestCodec } from "../../../base/rpc/rest-codec.ts";
import { serve } from "../../../gateway/methods.ts";
import { describeOpenApi } from "../../../gateway/openapi/document.ts";
import { comments } from "../testproto/gen/comments.ts";
import { BookSchema, Failing, Library, RowSchema } from "../testproto/gen/engage/test/v1/library_pb.ts";
import { returnCodes } from "../testproto/library.ts";

export const codecs = new Map<string, RestCodec>([
  [RowSchema.typeName, { encode: () => "", contentType: "text/csv" }],
  [
    BookSchema.typeName,
    { encode: () => "", schema: { type: "object", properties: { titel: { type: "string" } } } },
  ],
]);
export const services = [serve(Library, {}), serve(Failing, {}, { returnCodes })];
export const options = { title: "Test", version: "1.2.3", comments };
/** The document of the test services. */
export const document = describeOpenApi(services, options);

/** Returns the value at a path of keys. */
export function at(value: JsonValue, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((inner, key) => (inner as JsonObject | undefined)?.[key], value);
}
