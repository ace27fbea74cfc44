import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import {
  DescriptorProtoSchema,
  FieldMaskSchema,
  ListValueSchema,
  SourceCodeInfo_LocationSchema,
  StructSchema,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { holdsMoreValues } from "../../../base/protobuf/bounds.ts";

const repeat = (bytes: readonly number[], times: number): Uint8Array =>
  Uint8Array.from(Array.from({ length: times }, () => bytes).flat());

const text = "x".repeat(200);

test.each<[name: string, values: number, desc: DescMessage, bytes: Uint8Array]>([
  ["empty messages of a list", 100, ListValueSchema, repeat([0x0a, 0], 100)],
  ["texts of a list", 100, FieldMaskSchema, repeat([0x0a, 0], 100)],
  ["entries of a map", 100, StructSchema, repeat([0x0a, 2, 0x12, 0], 100)],
  ["fields that the type lacks", 100, FieldMaskSchema, repeat([0xf8, 0x01, 1], 100)],
  ["texts that the type lacks", 100, FieldMaskSchema, repeat([0x1a, 1, 0x30], 100)],
  ["groups that the type lacks, with both their tags", 200, FieldMaskSchema, repeat([0x7b, 0x7c], 100)],
  [
    "elements of a packed list",
    101,
    SourceCodeInfo_LocationSchema,
    Uint8Array.from([0x0a, 100, ...repeat([1], 100)]),
  ],
  ["elements of a list that is not packed", 100, SourceCodeInfo_LocationSchema, repeat([0x08, 1], 100)],
  ["messages within messages", 100, DescriptorProtoSchema, repeat([0x1a, 2, 0x1a, 0], 50)],
  [
    "no more than its list",
    3,
    FieldMaskSchema,
    toBinary(FieldMaskSchema, create(FieldMaskSchema, { paths: [text, text, text] })),
  ],
])("counts %s", (_name, values, desc, bytes) => {
  expect(holdsMoreValues(desc, bytes, values - 1)).toBe(true);
  expect(holdsMoreValues(desc, bytes, values)).toBe(false);
});

test("a text that is said again and again is one", () => {
  expect(holdsMoreValues(DescriptorProtoSchema, repeat([0x0a, 1, 0x61], 100), 1)).toBe(false);
});
