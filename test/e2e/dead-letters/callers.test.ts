import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { openWebhookServer } from "../../cmd/webhook-server.ts";
import { openForAll } from "../../open-for-all.ts";

describe("callers", () => {
  const auth = {
    keys: [
      { name: "viewer", sha256: sha256Hex("key-viewer"), access: "read" },
      { name: "parser", sha256: sha256Hex("key-parser"), methods: ["proto.Parser/*"] },
    ],
  };
  const guarded = openForAll((onEnd) => openWebhookServer({}, { onEnd, settings: { auth } }));

  it.each([
    ["key-viewer", "dead-letters?filter.kind=1", undefined, 200],
    ["key-viewer", "dead-letters:export?filter.kind=1", undefined, 200],
    ["key-viewer", "dead-letters:count?filter.kind=1", undefined, 200],
    ["key-viewer", "dead-letters:replay", { filter: { kind: 1 }, all: true }, 403],
    ["key-parser", "dead-letter-kinds", undefined, 403],
    ["", "dead-letter-kinds", undefined, 401],
  ])("with %j get from %s", async (key, path, body, status) => {
    const headers = { "x-api-key": key };
    expect((await guarded().rest(`/v1/${path}`, body, headers)).status).toBe(status);
  });

  it.each([
    ["click", "clicks are not sent to the platform, since webhook.clicks.forward is not set"],
    ["parser", "parsed records are not stored, since parser.store is not set"],
  ])("learn why dead letters of %s cannot be replayed", async (kind, message) => {
    const open = await openWebhookServer();
    const word = `DEAD_LETTER_KIND_${kind.toUpperCase()}`;
    const body = { filter: { kind: word }, all: true };
    const { status, text } = await open.rest("/v1/dead-letters:replay", body);
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
    const summary = JSON.parse((await open.rest("/v1/dead-letter-kinds")).text);
    expect(summary.kinds).toContainEqual(
      expect.objectContaining({ kind: word, replayObstacle: expect.stringContaining(message) }),
    );
  });
});
