import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import {
  dropForeignCookies,
  isOfOwnPage,
  sessionCookie,
  sessionTokenIn,
} from "../../../gateway/sessions/cookie.ts";
import { parseHost } from "../../../gateway/sites/host.ts";

const requestWith = (headers: Record<string, string>) =>
  ({ headers, socket: {} }) as unknown as IncomingMessage;
const here = { host: parseHost("console.example:8080") };

describe("a request is of a page of this server", () => {
  test.each([
    ["with the server's own origin", { origin: "http://console.example:8080" }, true],
    ["as the browser says", { "sec-fetch-site": "same-origin" }, true],
    ["as both say", { origin: "http://console.example:8080", "sec-fetch-site": "same-origin" }, true],
    ["but not from another port", { origin: "http://console.example:9090" }, false],
    ["but not from another host", { origin: "http://evil.example" }, false],
    ["but not from a page without an origin", { origin: "null" }, false],
    ["but not from another host of the site", { "sec-fetch-site": "same-site" }, false],
    ["but not from another site", { "sec-fetch-site": "cross-site" }, false],
    ["but not by a link or from the address bar", { "sec-fetch-site": "none" }, false],
    [
      "but not when the browser denies it",
      { origin: "http://console.example:8080", "sec-fetch-site": "same-site" },
      false,
    ],
    [
      "but not from another origin that says so",
      { origin: "http://evil.example", "sec-fetch-site": "same-origin" },
      false,
    ],
    ["but not from a program", {}, false],
  ])("%s", (_name, headers, expected) => {
    expect(isOfOwnPage(requestWith(headers), here)).toBe(expected);
    const request = requestWith({ ...headers, cookie: "engage-session=v1.x" });
    dropForeignCookies(request, here);
    expect(request.headers.cookie).toBe(expected ? "engage-session=v1.x" : undefined);
  });
});

describe("the token is found", () => {
  test.each([
    ["engage-session=v1.abc", "v1.abc"],
    ["a=b; engage-session=v1.abc; c=d", "v1.abc"],
    ["engage-session=v1.plain; __Host-engage-session=v1.secure", "v1.secure"],
    ["my-engage-session=v1.abc", undefined],
    ["a=b", undefined],
    ["", undefined],
    [null, undefined],
  ])("in %j", (header, expected) => {
    expect(sessionTokenIn(header)).toBe(expected);
  });
});

describe("the cookie", () => {
  test("is for this site's requests alone, and not for scripts", () => {
    expect(sessionCookie(requestWith({ origin: "http://console.example" }), "v1.x", 60)).toBe(
      "engage-session=v1.x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict",
    );
  });

  test("is for TLS alone where the page came over TLS, also behind a proxy", () => {
    const secure = "__Host-engage-session=v1.x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure";
    expect(sessionCookie(requestWith({ origin: "https://console.example" }), "v1.x", 60)).toBe(secure);
  });
});
