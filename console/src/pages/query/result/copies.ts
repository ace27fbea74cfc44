import {
  type DescEnum,
  type DescField,
  type DescMessage,
  isFieldSet,
  type Message,
} from "@bufbuild/protobuf";

/** Quotes a text for a shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param json on one line */
export function asCurl(url: string, json: string): string {
  return [
    `curl ${url}/open/event-analyze`,
    `-H "authorization: Bearer $ENGAGE_TOKEN"`,
    `-H 'content-type: application/json'`,
    `--data-raw ${quoteForShell(json)}`,
  ].join(" \\\n  ");
}

/** The command reads the token from ENGAGE_TOKEN too. */
export function asCommand(url: string, json: string): string {
  return `printf %s ${quoteForShell(json)} |\n  npx engage-server query --url ${url} -`;
}

/** Writes the call with the generated types. */
export function asCode(url: string, schema: DescMessage, query: Message): string {
  const enums = new Map<string, DescEnum>();
  const written = writeMessage(schema, query, enums, "  ");
  const names = Map.groupBy(enums.values(), ({ file }) => file.name);
  const imports = [...names.keys()].sort().map((file) => {
    const list = names.get(file)!.map(({ name }) => name);
    return `import { ${list.sort().join(", ")} } from "engage-server/gen/${file}_pb.js";`;
  });
  return [
    `import { env } from "node:process";`,
    `import { createClient } from "@connectrpc/connect";`,
    `import { createGrpcTransport } from "@connectrpc/connect-node";`,
    `import { AnalysisProxy } from "engage-server/gen/engage/analysis/v1/analysis_proxy_pb.js";`,
    ...imports,
    "",
    `const client = createClient(AnalysisProxy, createGrpcTransport({ baseUrl: ${JSON.stringify(url)} }));`,
    "const { data } = await client.analyzeEvents({",
    `  token: env["ENGAGE_TOKEN"] ?? "",`,
    `  query: ${written},`,
    "});",
    "console.log(data?.y);",
  ].join("\n");
}

type Enums = Map<string, DescEnum>;

function writeMessage(schema: DescMessage, message: Message, enums: Enums, indent: string): string {
  const inner = `${indent}  `;
  const lines = schema.fields
    .filter((field) => isFieldSet(message, field))
    .map((field) => {
      const value = (message as unknown as Record<string, unknown>)[field.localName];
      return `${inner}${field.localName}: ${writeField(field, value, enums, inner)},\n`;
    });
  return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
}

function writeField(field: DescField, value: unknown, enums: Enums, indent: string): string {
  if (field.fieldKind !== "list") return writeItem(field, value, enums, indent);
  const items = (value as readonly unknown[]).map((item) => writeItem(field, item, enums, indent));
  return `[${items.join(", ")}]`;
}

function writeItem(field: DescField, value: unknown, enums: Enums, indent: string): string {
  if (field.message !== undefined) return writeMessage(field.message, value as Message, enums, indent);
  if (field.enum !== undefined) {
    enums.set(field.enum.typeName, field.enum);
    return `${field.enum.name}.${field.enum.value[value as number]?.localName}`;
  }
  return typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
}
