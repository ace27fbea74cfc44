import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";

/** The files that declare the services and everything that they use. */
export interface DescriptorIndex {
  /** Full names, sorted. */
  readonly serviceNames: readonly string[];
  /**
   * Name of the file that declares a service, method, message, field, oneof,
   * enum, enum value or extension by this full name.
   */
  fileOfSymbol(symbol: string): string | undefined;
  /** Number of each extension of this message to the file that declares it; undefined for unknown messages. */
  extensionsOf(message: string): ReadonlyMap<number, string> | undefined;
  /** The file and all it imports as `google.protobuf.FileDescriptorProto`, each once, the file itself first. */
  encodeClosure(fileName: string): Uint8Array<ArrayBuffer>[] | undefined;
}

/** Indexes the files of the services and all their imports. */
export function indexDescriptors(services: readonly DescService[]): DescriptorIndex {
  const files = new Map<string, DescFile>();
  for (const service of services) collectFiles(service.file, files);
  const symbols: Symbols = { fileOf: new Map(), messages: new Set(), extensions: new Map() };
  for (const [name, file] of files) addFile(symbols, file, name);

  const encoded = new Map<string, Uint8Array<ArrayBuffer>>();
  const encode = (file: DescFile): Uint8Array<ArrayBuffer> => {
    const known = encoded.get(file.proto.name);
    if (known !== undefined) return known;
    const bytes = toBinary(FileDescriptorProtoSchema, file.proto);
    encoded.set(file.proto.name, bytes);
    return bytes;
  };
  return {
    serviceNames: [...new Set(services.map(({ typeName }) => typeName))].sort(),
    fileOfSymbol: (symbol) => symbols.fileOf.get(symbol),
    extensionsOf: (message) =>
      symbols.extensions.get(message) ?? (symbols.messages.has(message) ? noExtensions : undefined),
    encodeClosure(fileName) {
      const file = files.get(fileName);
      return file && [...collectFiles(file, new Map()).values()].map(encode);
    },
  };
}

const noExtensions: ReadonlyMap<number, string> = new Map();

/** Adds the file and its imports by the name under which other files import them. */
function collectFiles(file: DescFile, into: Map<string, DescFile>): Map<string, DescFile> {
  if (into.has(file.proto.name)) return into;
  into.set(file.proto.name, file);
  for (const dependency of file.dependencies) collectFiles(dependency, into);
  return into;
}

interface Symbols {
  readonly fileOf: Map<string, string>;
  readonly messages: Set<string>;
  readonly extensions: Map<string, Map<number, string>>;
}

function addFile(symbols: Symbols, { proto }: DescFile, file: string): void {
  const scope = proto.package;
  for (const message of proto.messageType) addMessage(symbols, message, scope, file);
  for (const type of proto.enumType) addEnum(symbols, type, scope, file);
  for (const extension of proto.extension) addExtension(symbols, extension, scope, file);
  for (const service of proto.service) {
    const name = qualify(scope, service.name);
    symbols.fileOf.set(name, file);
    for (const method of service.method) symbols.fileOf.set(qualify(name, method.name), file);
  }
}

function addMessage(symbols: Symbols, message: DescriptorProto, scope: string, file: string): void {
  const name = qualify(scope, message.name);
  symbols.fileOf.set(name, file);
  symbols.messages.add(name);
  for (const { name: member } of [...message.field, ...message.oneofDecl]) {
    symbols.fileOf.set(qualify(name, member), file);
  }
  for (const nested of message.nestedType) addMessage(symbols, nested, name, file);
  for (const type of message.enumType) addEnum(symbols, type, name, file);
  for (const extension of message.extension) addExtension(symbols, extension, name, file);
}

function addEnum(symbols: Symbols, type: EnumDescriptorProto, scope: string, file: string): void {
  symbols.fileOf.set(qualify(scope, type.name), file);
  // The values of an enum are its siblings: https://protobuf.dev/programming-guides/proto3/#enum
  for (const value of type.value) symbols.fileOf.set(qualify(scope, value.name), file);
}

function addExtension(symbols: Symbols, extension: FieldDescriptorProto, scope: string, file: string): void {
  symbols.fileOf.set(qualify(scope, extension.name), file);
  const extended = extension.extendee.replace(/^\./, "");
  const numbers = symbols.extensions.get(extended) ?? new Map<number, string>();
  symbols.extensions.set(extended, numbers.set(extension.number, file));
}

function qualify(scope: string, name: string): string {
  return scope === "" ? name : `${scope}.${name}`;
}
