import { describe, expect, it } from "vitest";
import { outcomeOf, parseRetryAfter } from "../../../../services/webhook/targets/http-outcome.ts";

const nowMs = Date.UTC(2024, 0, 1);

describe("statuses", () => {
  it.each([200, 201, 202, 204, 299])("%d is done", (status) => {
    expect(outcomeOf({ status, headers: {}, text: "x" }, nowMs)).toEqual({ kind: "done" });
  });

  it.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 451])("%d is dead", (status) => {
    const outcome = outcomeOf({ status, headers: {}, text: " no\n such user " }, nowMs);
    expect(outcome).toEqual({ kind: "dead", reason: `HTTP ${status}: no such user` });
  });

  it.each([408, 425, 500, 501, 507])("%d is tried again", (status) => {
    const outcome = outcomeOf({ status, headers: {}, text: "" }, nowMs);
    expect(outcome).toEqual({ kind: "retry", reason: `HTTP ${status}`, afterMs: undefined });
  });

  it.each([429, 502, 503, 504])("%d is tried again, and so is everything else then", (status) => {
    const outcome = outcomeOf({ status, headers: { "retry-after": "7" }, text: "" }, nowMs);
    expect(outcome).toMatchObject({ kind: "retry", isTargetDown: true, afterMs: 7_000 });
  });

  it.each([301, 302, 303, 307, 308])("%d is not followed", (status) => {
    const outcome = outcomeOf({ status, headers: { location: "http://127.0.0.1/" }, text: "" }, nowMs);
    const reason = `HTTP ${status}: redirects are not followed to http://127.0.0.1/`;
    expect(outcome).toMatchObject({ kind: "retry", isTargetDown: true, reason });
  });
});

it("names an error page of a proxy by its title", () => {
  const text = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>…</body></html>";
  expect(outcomeOf({ status: 502, headers: {}, text }, nowMs)).toMatchObject({
    reason: 'HTTP 502: an HTML page with the title "502 Bad Gateway"',
  });
});

it("shortens what a target says", () => {
  const outcome = outcomeOf({ status: 400, headers: {}, text: "x".repeat(5_000) }, nowMs);
  expect(outcome).toMatchObject({ reason: expect.stringMatching(/^HTTP 400: x+…$/) });
  expect(JSON.stringify(outcome).length).toBeLessThan(400);
});

describe("Retry-After", () => {
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["0", 0],
    ["120", 120_000],
    [" 1.5 ", 1_500],
    ["99999999999", 86_400_000],
    ["Mon, 01 Jan 2024 00:01:00 GMT", 60_000],
    ["Sun, 31 Dec 2023 00:01:00 GMT", 0],
    ["Mon, 01 Jan 2029 00:01:00 GMT", 86_400_000],
    ["-5", undefined],
    ["soon", undefined],
    ["2024-01-01", undefined],
    ["", undefined],
  ])("%s: %s ms", (value, expected) => {
    expect(parseRetryAfter(value, nowMs)).toBe(expected);
  });
});
