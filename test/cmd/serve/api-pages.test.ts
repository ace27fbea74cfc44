import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";
import type { ApiExamples } from "../../../gateway/openapi/examples.ts";
import {
  createSchemaCheck,
  missingExamples,
  type Operation,
  operationsOf,
  placesOf,
} from "./api-examples.ts";

let server: RunningServer;
beforeAll(async () => {
  const env = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_LOG_LEVEL: "silent",
    ENGAGE_DATA: mkdtempSync(join(tmpdir(), "engage-")),
  };
  const { config, describe: describeConfig } = loadConfig({ env, cwd: process.cwd() });
  // With these options, the server has all services.
  server = await startServer(config, { describe: describeConfig, onShutdownRequest: () => undefined });
});
afterAll(() => server.stop());

interface Described {
  readonly externalDocs: { readonly url: string };
  readonly paths: Record<string, Record<string, { readonly description?: string }>>;
}

async function readDocument(): Promise<Described & JsonObject> {
  return (await (await fetch(`${server.address.url}/openapi.json`)).json()) as Described & JsonObject;
}

describe("/openapi.json of the whole service", () => {
  it("is valid OpenAPI", async () => {
    const result = await new Validator().validate({ ...(await readDocument()) });
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  it.each([
    "/proto.Parser/Parse",
    "/webhook/{channel}",
    "/open/event-analyze",
    "/open/event-user-list",
    "/open/streaming-download/event-analyze",
    "/open/streaming-download/event-user-list",
  ])("describes POST %s in words", async (path) => {
    expect((await readDocument()).paths[path]?.["post"]?.description).toMatch(/\w{3,}/);
  });
});

describe("the operations of the whole service", () => {
  it("are listed once", async () => {
    const operations = operationsOf(await readDocument());
    const listedTwice = (keyOf: (operation: Operation) => string) =>
      [...Map.groupBy(operations, keyOf)].filter(([, same]) => same.length > 1).map(([key]) => key);
    expect(listedTwice(({ operationId }) => operationId)).toEqual([]);
    // Paths that differ in the names of parameters are the same path.
    expect(listedTwice(({ name }) => name.replaceAll(/\{[^}]*\}/g, "{}"))).toEqual([]);
  });

  it("each have an example, which a new one gets in docs/generate/api-examples/scenes/ and by npm run docs", async () => {
    expect(operationsOf(await readDocument()).flatMap(missingExamples)).toEqual([]);
  });

  it("use all examples, so that those of removed operations go", async () => {
    const names = operationsOf(await readDocument()).map(({ name }) => name);
    const { operations } = JSON.parse(
      readFileSync("docs/reference/api-examples.json", "utf8"),
    ) as ApiExamples;
    expect(Object.keys(operations).filter((name) => !names.includes(name))).toEqual([]);
  });

  it("have examples in the form of their schemas, errors too", async () => {
    const document = await readDocument();
    const check = createSchemaCheck(document);
    const { responses } = document["components"] as { responses: JsonObject };
    const ofErrors = placesOf(responses, ["components", "responses"]);
    expect(ofErrors.length).toBe(Object.keys(responses).length);
    const places = [...placesOf(document["paths"]!, ["paths"]), ...ofErrors];
    expect(places.flatMap(check)).toEqual([]);
  });
});

/** Writes messages as `application/connect+json`, in the way in which the document describes it. */
function framed(...messages: readonly object[]): Buffer {
  return Buffer.concat(
    messages.flatMap((message) => {
      const text = Buffer.from(JSON.stringify(message));
      const head = Buffer.alloc(5);
      head.writeUInt32BE(text.length, 1);
      return [head, text];
    }),
  );
}

describe("a stream over Connect", () => {
  const post = async (method: string, ...messages: readonly object[]) => {
    const response = await fetch(`${server.address.url}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/connect+json" },
      body: new Uint8Array(framed(...messages)),
    });
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  };
  const importWith = (token: string) => [
    { header: { token, projectId: 1, name: "testers", day: "2026-03-05" } },
    { members: { members: [{ accountId: "ann" }] } },
  ];
  const importCluster = "engage.analysis.v1.AnalysisProxy/ImportCluster";

  it("has five bytes before each message, and an object with the first byte 2 at its end", async () => {
    const { status, body } = await post(importCluster, ...importWith("demo-token"));
    const end = Buffer.concat([Buffer.from([2]), framed({}).subarray(1)]);
    expect(status).toBe(200);
    expect(body).toEqual(Buffer.concat([framed({ unknown: "1", day: "2026-03-05" }), end]));
  });

  it("has its error in this object, and the status 200", async () => {
    const { status, body } = await post(importCluster, ...importWith("another"));
    expect([status, body[0]]).toEqual([200, 2]);
    expect(JSON.parse(body.subarray(5).toString())).toMatchObject({ error: { code: "permission_denied" } });
  });

  it("needs HTTP/2 for messages in both directions", async () => {
    const { status } = await post("engage.parser.v1.ParserStream/ParseLines", { index: "a", lines: [] });
    expect(status).toBe(505);
  });
});

it("/docs is served", async () => {
  const page = await fetch(`${server.address.url}/docs`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("docs/swagger-ui-bundle.js");
});

it("the description leads to the documentation", async () => {
  const { externalDocs } = await readDocument();
  const page = await fetch(new URL(externalDocs.url, `${server.address.url}/openapi.json`));
  expect([page.status, page.url]).toEqual([200, `${server.address.url}/docs/`]);
  expect(await page.text()).toContain("<h1>Documentation</h1>");
});
