import { describe, expect, it } from "vitest";
import { resolveSecrets } from "../../../../services/channel/channels/stored-secrets.ts";
import { type ChannelInit, channelOf } from "./sample-channel.ts";

/** Signed by "a secret", with the headers Authorization and X-Game, on https://push.example.com. */
const stored = channelOf();
const none = { authentication: undefined as never, customHeaders: [] };
const both = ["Bearer abc", "one"];
const move = "is stored for https://push.example.com only and not sent to";

describe("secrets of a channel that is changed", () => {
  it.each<[string, ChannelInit, secret: string | undefined, values: readonly string[], warnings: number]>([
    ["all left out", none, "a secret", both, 2],
    [
      "left out, as answers show them",
      {
        authentication: { secretIsSet: true },
        customHeaders: [{ name: "authorization", valueIsSet: true }, { name: "X-Game" }],
      },
      "a secret",
      both,
      0,
    ],
    ["another path", { ...none, url: "https://push.example.com/other?b" }, "a secret", both, 2],
    ["the same port", { ...none, url: "https://push.example.com:443/" }, "a secret", both, 2],
    ["off", { ...none, authentication: { off: true } }, undefined, both, 1],
    ["no headers", { ...none, noCustomHeaders: true }, "a secret", [], 1],
    ["one header less", { customHeaders: [{ name: "X-Game" }] }, "a secret", ["one"], 1],
    [
      "new ones",
      { authentication: { secret: "new" }, customHeaders: [{ name: "X-Game", value: "two" }] },
      "new",
      ["two"],
      1,
    ],
    [
      "a new header",
      { customHeaders: [{ name: "authorization" }, { name: "X-Game" }, { name: "X-New" }] },
      "a secret",
      [...both, ""],
      0,
    ],
  ])("%s", (_what, changes, secret, values, warnings) => {
    const kept = resolveSecrets(channelOf(changes), stored);
    expect(kept.violations).toEqual([]);
    expect(kept.authentication?.secret).toBe(secret);
    expect(kept.customHeaders.map(({ value }) => value)).toEqual(values);
    expect(kept.warnings).toHaveLength(warnings);
  });

  it.each<[string, string]>([
    ["another host", "https://evil.example.com/"],
    ["another scheme", "http://push.example.com/mail"],
    ["another port", "https://push.example.com:8443/mail"],
    ["a host within", "https://push.example.com.evil.example/"],
    ["another spelling of a host", "https://push.example.com@evil.example/"],
  ])("have to be given again for %s", (_what, url) => {
    const found = resolveSecrets(channelOf({ ...none, url }), stored).violations;
    const { origin } = new URL(url);
    expect(found).toEqual([
      {
        field: "authentication.secret",
        description: `${move} ${origin}, give it again or set authentication.off`,
      },
      {
        field: "custom_headers",
        description: `${move} ${origin}: give Authorization, X-Game again or set no_custom_headers`,
      },
    ]);
    const off = { url, authentication: { off: true }, customHeaders: [], noCustomHeaders: true };
    expect(resolveSecrets(channelOf(off), stored)).toMatchObject({ violations: [], customHeaders: [] });
    const again = { url, authentication: { secret: "x" }, customHeaders: [{ name: "X-Game", value: "x" }] };
    expect(resolveSecrets(channelOf(again), stored).violations).toEqual([]);
  });

  it("can't be given and taken away at once", () => {
    const given = channelOf({ authentication: { secret: "x", off: true }, noCustomHeaders: true });
    expect(resolveSecrets(given, stored).violations.map(({ field }) => field)).toEqual([
      "authentication.off",
      "no_custom_headers",
    ]);
  });

  it("are none where none are stored", () => {
    expect(resolveSecrets(channelOf(none), undefined)).toMatchObject({ customHeaders: [], warnings: [] });
    expect(
      resolveSecrets(channelOf({ ...none, authentication: { off: true } }), undefined).violations,
    ).toEqual([]);
  });
});
