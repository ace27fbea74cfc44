import { describe, expect, it } from "vitest";
import { maskSensitive } from "../../../../cmd/serve/log/mask.ts";

describe("maskSensitive", () => {
  it.each([
    "authorization",
    "Authorization",
    "proxy-authorization",
    "cookie",
    "Set-Cookie",
    "x-api-key",
    "apiKey",
    "private_key",
    "token",
    "tokens",
    "access_token",
    "client-secret",
    "secret",
    "secrets",
    "password",
    "x-svc-ops-signature",
  ])("masks %s at any depth", (name) => {
    const hidden = {
      [name]: "hidden",
      list: [{ [name]: ["hidden"] }],
      deep: { er: { [name]: { a: "hidden" } } },
      kept: 1,
    };
    expect(maskSensitive(hidden)).toEqual({
      [name]: "[masked]",
      list: [{ [name]: "[masked]" }],
      deep: { er: { [name]: "[masked]" } },
      kept: 1,
    });
    expect(JSON.stringify(hidden)).toContain("hidden");
  });

  it.each([
    { method: "a", tokenizer: 1, secretary: "b", authorizations: 2, keys: [1, { a: null }] },
    { when: new Date(0), bytes: new Uint8Array(3), err: new Error("x"), none: undefined, token: undefined },
  ])("gives back what has nothing to mask, untouched", (value) => {
    expect(maskSensitive(value)).toBe(value);
  });

  it("ends in a circle", () => {
    const circle: Record<string, unknown> = { name: "a" };
    circle["self"] = circle;
    expect(JSON.stringify(maskSensitive(circle))).toContain("[too deep]");
  });
});
