import { describe, expect, it } from "vitest";
import { signBody } from "../../../../base/net/signature.ts";
import type { AudienceSource } from "../../../../services/channel/audience/source.ts";
import { channelWith, contentOf } from "../content/template.ts";
import { noUsers, openDelivery, openReceiver, openStore } from "./world.ts";

const { signal } = new AbortController();
const known: AudienceSource = {
  ...noUsers,
  lookup: async ({ pushIds }) => new Map(pushIds.map((id) => [id, { name: "Ann", level: 7 }])),
};

describe("a message that tries a channel", () => {
  it("is real, and shown with its answer and verdicts", async () => {
    await using receiver = await openReceiver((_call, response) => response.end('{"code":0}'));
    await using store = await openStore();
    await using delivery = openDelivery(store, { audience: known, newRequestId: () => "r1" });
    const channel = channelWith({
      url: receiver.url,
      authentication: { secret: "s" },
      customHeaders: [{ name: "X-Key", value: "k" }],
    });
    const shown = await delivery.testChannel(
      { channel, pushId: "u1", content: contentOf({ title: "Hi" }) },
      signal,
    );
    const [call] = receiver.calls;
    expect(call?.elements).toMatchObject([
      {
        push_id: "u1",
        custom_params: { level: "7", nick: "Ann" },
        params: { title: "Hi", body: "hello Ann", count: "1" },
        "#ops_receipt_properties": { ops_project_id: 1, ops_task_id: "test", ops_request_id: "r1" },
      },
    ]);
    expect(call?.headers["x-key"]).toBe("k");
    expect(shown).toMatchObject({
      requestBody: call?.text,
      signature: signBody("s", Buffer.from(call!.text)),
      status: 200,
      requestHeaders: { "X-Key": "***", "content-type": "application/json" },
      responseBody: '{"code":0}',
      strict: { succeeded: false, reason: "invalid_answer" },
      lenient: { succeeded: true },
    });
  });

  it("has its signature in any header, and no other of this name", async () => {
    await using receiver = await openReceiver((_call, response) => response.end('{"return_code":0}'));
    await using store = await openStore();
    await using delivery = openDelivery(store);
    const authentication = { secret: "s", headerName: "User-Agent" };
    const channel = channelWith({ url: receiver.url, authentication });
    const shown = await delivery.testChannel({ channel, pushId: "u1", content: undefined }, signal);
    const signature = signBody("s", Buffer.from(receiver.calls[0]!.text));
    expect(receiver.calls[0]?.headers["user-agent"]).toBe(signature);
    const names = Object.keys(shown.requestHeaders ?? {}).map((name) => name.toLowerCase());
    expect(names.toSorted()).toEqual(["accept-encoding", "content-type", "user-agent"]);
  });

  it("shows no secret that the receiver repeats", async () => {
    await using receiver = await openReceiver(({ headers }, response) => {
      const message = `wrong ${headers["x-key"]}, not my-secret-text`;
      response.end(JSON.stringify({ return_code: 1, return_message: message }));
    });
    await using store = await openStore();
    await using delivery = openDelivery(store);
    const channel = channelWith({
      url: receiver.url,
      authentication: { secret: "my-secret-text" },
      customHeaders: [{ name: "X-Key", value: "Bearer abcdef" }],
    });
    const shown = await delivery.testChannel({ channel, pushId: "u1", content: undefined }, signal);
    expect(shown.responseBody).toBe('{"return_code":1,"return_message":"wrong ***, not ***"}');
    expect(shown.strict).toMatchObject({ message: "return_code 1: wrong ***, not ***" });
  });

  it("that finds no receiver has a result too", async () => {
    await using store = await openStore();
    await using delivery = openDelivery(store);
    const channel = channelWith({ url: "http://127.0.0.1:1/" });
    const shown = await delivery.testChannel({ channel, pushId: "u1", content: undefined }, signal);
    expect(shown).toMatchObject({
      status: 0,
      signature: "",
      strict: { succeeded: false, reason: "connection" },
    });
  });

  it("that is named in the fail list is rejected", async () => {
    const text = '{"return_code":0,"data":{"fail_list":[{"index":1,"message":"unknown"}]}}';
    await using receiver = await openReceiver((_call, response) => response.end(text));
    await using store = await openStore();
    await using delivery = openDelivery(store);
    const channel = channelWith({ url: receiver.url });
    const shown = await delivery.testChannel({ channel, pushId: "u1", content: undefined }, signal);
    expect(shown.strict).toMatchObject({ succeeded: false, reason: "rejected", message: "unknown" });
  });
});
