import { createFileRegistry, fromBinary, getOption, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { type Client, createClient } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { createHealth } from "../../../gateway/health/health.ts";
import { serve } from "../../../gateway/methods.ts";
import { createReflection } from "../../../gateway/reflection/reflection.ts";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import {
  ServerReflection,
  type ServerReflectionRequestSchema,
} from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { connectInMemory } from "../in-memory.ts";
import { Library } from "../testproto/gen/engage/test/v1/library_pb.ts";

const services = [serve(Library, {}), createHealth([]).served];
const transport = connectInMemory(createReflection(services));
const clients = {
  v1: createClient(ServerReflection, transport),
  // The same shapes under another name.
  v1alpha: createClient(ServerReflectionAlpha, transport) as unknown as Client<typeof ServerReflection>,
};

type Question = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

/** Asks all questions in one stream. */
async function ask(version: keyof typeof clients, ...questions: Question[]) {
  async function* requests() {
    for (const messageRequest of questions) yield { host: "here", messageRequest };
  }
  const answers = [];
  for await (const answer of clients[version].serverReflectionInfo(requests())) answers.push(answer);
  return answers;
}

async function askFiles(version: keyof typeof clients, question: Question) {
  const [answer] = await ask(version, question);
  const { value } = answer!.messageResponse as { value: { fileDescriptorProto: Uint8Array[] } };
  return value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

const libraryFile = "engage/test/v1/library.proto";

describe.each(["v1", "v1alpha"] as const)("%s", (version) => {
  it("lists all services, health and itself among them, in order", async () => {
    const [answer] = await ask(version, { case: "listServices", value: "" });
    expect(answer!.messageResponse).toMatchObject({
      case: "listServicesResponse",
      value: {
        service: [
          { name: "engage.test.v1.Library" },
          { name: "grpc.health.v1.Health" },
          { name: "grpc.reflection.v1.ServerReflection" },
          { name: "grpc.reflection.v1alpha.ServerReflection" },
        ],
      },
    });
  });

  it("repeats host and question with the answer", async () => {
    const question: Question = { case: "fileByFilename", value: "google/api/http.proto" };
    const [answer] = await ask(version, question);
    expect(answer).toMatchObject({
      validHost: "here",
      originalRequest: { host: "here", messageRequest: question },
    });
  });

  it.each([
    ["a service", "engage.test.v1.Library", libraryFile],
    ["a method", "engage.test.v1.Library.GetBook", libraryFile],
    ["a message", "engage.test.v1.Book", libraryFile],
    ["a nested message", "engage.test.v1.Book.KeywordsEntry", libraryFile],
    ["a field", "engage.test.v1.Book.display_name", libraryFile],
    ["a field of a nested message", "engage.test.v1.Book.KeywordsEntry.key", libraryFile],
    ["a oneof", "engage.test.v1.Book.origin", libraryFile],
    ["an enum", "engage.test.v1.Genre", libraryFile],
    ["an enum value", "engage.test.v1.GENRE_FICTION", libraryFile],
    ["a nested enum", "grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc/health/v1/health.proto"],
    ["a value of a nested enum", "grpc.health.v1.HealthCheckResponse.SERVING", "grpc/health/v1/health.proto"],
    ["an extension", "google.api.http", "google/api/annotations.proto"],
    ["an imported message", "google.protobuf.Timestamp", "google/protobuf/timestamp.proto"],
    ["reflection itself", "grpc.reflection.v1.ServerReflection", "grpc/reflection/v1/reflection.proto"],
  ])("finds the file of %s, and puts it first", async (_, symbol, file) => {
    const files = await askFiles(version, { case: "fileContainingSymbol", value: symbol });
    expect(files[0]?.name).toBe(file);
  });

  it("finds the file of an extension by its number", async () => {
    const value = { containingType: "google.protobuf.MethodOptions", extensionNumber: 50501 };
    const files = await askFiles(version, { case: "fileContainingExtension", value });
    expect(files.map(({ name }) => name)).toEqual([
      "engage/gateway/v1/options.proto",
      "google/protobuf/descriptor.proto",
    ]);
  });

  it.each([
    ["google.protobuf.MethodOptions", [50501, 72295728]],
    ["engage.test.v1.Book", []],
  ])("tells the extension numbers of %s in order", async (baseTypeName, extensionNumber) => {
    const [answer] = await ask(version, { case: "allExtensionNumbersOfType", value: baseTypeName });
    expect(answer!.messageResponse).toMatchObject({ value: { baseTypeName, extensionNumber } });
  });

  it.each<[string, Question, string]>([
    ["a file", { case: "fileByFilename", value: "no.proto" }, 'file "no.proto"'],
    ["a symbol", { case: "fileContainingSymbol", value: "a.B" }, 'symbol "a.B"'],
    [
      "an extension",
      {
        case: "fileContainingExtension",
        value: { containingType: "engage.test.v1.Book", extensionNumber: 7 },
      } as Question,
      'extension 7 of "engage.test.v1.Book"',
    ],
    ["a message", { case: "allExtensionNumbersOfType", value: "a.B" }, 'message "a.B"'],
  ])("answers NOT_FOUND for %s that is not known, and goes on", async (_, question, subject) => {
    const answers = await ask(version, question, { case: "listServices", value: "" });
    expect(answers.map(({ messageResponse }) => messageResponse)).toMatchObject([
      {
        case: "errorResponse",
        value: {
          errorCode: 5,
          errorMessage: `${subject} is not known to this server, list_services lists the services`,
        },
      },
      { case: "listServicesResponse" },
    ]);
  });

  it("refuses an empty question", async () => {
    const [answer] = await ask(version, { case: undefined });
    expect(answer!.messageResponse).toMatchObject({ case: "errorResponse", value: { errorCode: 3 } });
  });
});

describe("what a stream may ask", () => {
  const question = { case: "fileContainingSymbol", value: "x".repeat(3_000) } as const;

  it("ends after many questions", async () => {
    const many = Array.from({ length: 501 }, () => question);
    await expect(ask("v1", ...many)).rejects.toThrow("a stream takes at most 500 requests");
    expect((await ask("v1alpha", ...many.slice(1))).length).toBe(500);
  });

  it("quotes the beginning of long names", async () => {
    const [answer] = await ask("v1", question);
    const { errorMessage } = answer!.messageResponse.value as { errorMessage: string };
    expect(errorMessage).toBe(
      `symbol "${"x".repeat(100)}…" (3000 characters) is not known to this server, list_services lists the services`,
    );
  });

  it("is of a few thousand bytes at most", () => {
    const sizes = createReflection(services).flatMap(({ methods }) =>
      methods.map(({ maxMessageBytes }) => maxMessageBytes),
    );
    expect(sizes).toEqual([4_096, 4_096]);
  });
});

describe("the files of an answer", () => {
  it("hold every import exactly once", async () => {
    const files = await askFiles("v1", { case: "fileByFilename", value: libraryFile });
    const names = files.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(files.flatMap(({ dependency }) => dependency)));
  });

  it("are enough to rebuild the service with its options", async () => {
    const files = await askFiles("v1", { case: "fileContainingSymbol", value: Library.typeName });
    const registry = createFileRegistry(files[0]!, (wanted) => files.find(({ name }) => name === wanted));
    const rebuilt = registry.getService(Library.typeName)!;
    expect(rebuilt.methods.map(({ name, methodKind }) => [name, methodKind])).toEqual(
      Library.methods.map(({ name, methodKind }) => [name, methodKind]),
    );
    expect(rebuilt.method["getBook"]!.input.fields.map(({ jsonName, number }) => [jsonName, number])).toEqual(
      [
        ["name", 1],
        ["id", 2],
      ],
    );
    expect(toJson(HttpRuleSchema, getOption(rebuilt.method["createBook"]!, http))).toEqual({
      post: "/v1/{parent=shelves/*}/books",
      body: "book",
    });
  });
});
