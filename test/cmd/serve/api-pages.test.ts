import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { type RunningServer, startServer } from "../../../cmd/serve/server.ts";

let server: RunningServer;
beforeAll(async () => {
  const env = {
    ENGAGE_LISTEN: "127.0.0.1:0",
    ENGAGE_LOG_LEVEL: "silent",
    ENGAGE_DATA: mkdtempSync(join(tmpdir(), "engage-")),
  };
  const { config } = loadConfig({ env, cwd: process.cwd() });
  server = await startServer(config);
});
afterAll(() => server.stop());

interface Described {
  readonly externalDocs: { readonly url: string };
  readonly paths: Record<string, Record<string, { readonly description?: string }>>;
}

async function readDocument(): Promise<Described> {
  return (await (await fetch(`${server.address.url}/openapi.json`)).json()) as Described;
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
