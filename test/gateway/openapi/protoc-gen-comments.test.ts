import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";

const plugin = new URL("../../../gateway/openapi/protoc-gen-comments.ts", import.meta.url).pathname;

async function generate(
  file: Parameters<typeof create<typeof FileDescriptorProtoSchema>>[1],
): Promise<string> {
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: ["a.proto"],
    protoFile: [create(FileDescriptorProtoSchema, file)],
  });
  const running = promisify(execFile)(process.execPath, [plugin], { encoding: "buffer" });
  running.child.stdin?.end(toBinary(CodeGeneratorRequestSchema, request));
  const { stdout } = await running;
  return fromBinary(CodeGeneratorResponseSchema, stdout).file[0]?.content ?? "";
}

test("comments are found under the full names, nested and sorted, whatever they hold", async () => {
  const text = await generate({
    name: "a.proto",
    package: "p.v1",
    messageType: [
      {
        name: "M",
        field: [{ name: "f" }],
        oneofDecl: [{ name: "o" }],
        nestedType: [{ name: "N", field: [{ name: "g" }] }],
        enumType: [{ name: "E", value: [{ name: "V" }] }],
      },
    ],
    service: [{ name: "S", method: [{ name: "R" }] }],
    sourceCodeInfo: {
      location: [
        { path: [6, 0, 2, 0], leadingComments: " R does.\n\n Twice.\n" },
        { path: [4, 0], leadingComments: ' A "quoted" \\ one.\n' },
        { path: [4, 0, 3, 0, 2, 0], leadingComments: " g\n" },
        { path: [4, 0, 4, 0, 2, 0], leadingComments: " V\n" },
        { path: [4, 0, 8, 0], leadingComments: " o\n" },
        { path: [12], leadingComments: " The syntax.\n" },
        { path: [4, 0, 2, 0], leadingComments: "  \n" },
      ],
    },
  });
  const found = [...text.matchAll(/^ {2}("[^"]+"):\n {4}(".*"),$/gm)].map(([, name, comment]) => [
    JSON.parse(name as string),
    JSON.parse(comment as string),
  ]);
  expect(found).toEqual([
    ["p.v1.M", 'A "quoted" \\ one.'],
    ["p.v1.M.E.V", "V"],
    ["p.v1.M.N.g", "g"],
    ["p.v1.M.o", "o"],
    ["p.v1.S.R", "R does.\n\nTwice."],
  ]);
});
