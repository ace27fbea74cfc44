import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { startServer } from "../../../cmd/serve/server.ts";
import { openForAll } from "../../open-for-all.ts";

const html = { accept: "text/html,application/xhtml+xml;q=0.9" };

function openWith(env: Readonly<Record<string, string>>) {
  const url = openForAll(async (onEnd) => {
    const data = mkdtempSync(join(tmpdir(), "engage-"));
    const own = { ENGAGE_LISTEN: "127.0.0.1:0", ENGAGE_LOG_LEVEL: "silent", ENGAGE_DATA: data };
    const server = await startServer(loadConfig({ env: { ...own, ...env }, cwd: process.cwd() }).config);
    onEnd(() => server.stop());
    return server.address.url;
  });
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(url() + path, { headers, redirect: "manual" });
}

describe("the console", () => {
  const get = openWith({});

  test("is where / leads browsers", async () => {
    const answer = await get("/", html);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "console/"]);
    expect(answer.headers.get("vary")).toBe("accept");
  });

  test("is listed at / for all other clients", async () => {
    const answer = await get("/");
    expect(await answer.json()).toMatchObject({ pages: expect.arrayContaining(["/console/", "/docs"]) });
  });

  test("is the page that was built, under a policy without exceptions", async () => {
    const answer = await get("/console/", html);
    expect([answer.status, await answer.text()]).toEqual([
      200,
      readFileSync("console/dist/index.html", "utf8"),
    ]);
    const policy = answer.headers.get("content-security-policy")!;
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
    expect(policy.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      "trusted-types 'none'",
    ]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
  });

  test("has its scripts and styles at unchanging names", async () => {
    const page = await (await get("/console/")).text();
    const names = [...page.matchAll(/"\.\/(assets\/[^"]+)"/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const answer = await get(`/console/${name}`, { "accept-encoding": "br" });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ]);
      expect(answer.headers.get("content-encoding")).toBe("br");
    }
  });
});

describe("without the console", () => {
  const get = openWith({ ENGAGE_CONSOLE: "false" });

  test.each(["/console", "/console/", "/console/index.html"])("nothing is at %s", async (path) => {
    expect((await get(path, html)).status).toBe(404);
  });

  test("/ lists what is served, for browsers and for others", async () => {
    const page = await get("/", html);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain('<a href="docs">/docs</a>');
    expect(JSON.stringify(await (await get("/")).json())).not.toContain("console");
  });
});
