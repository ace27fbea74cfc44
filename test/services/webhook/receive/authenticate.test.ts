import { describe, expect, it } from "vitest";
import { readBody } from "../bodies.ts";
import { createRig, sign } from "../receiver.ts";

describe("who may call", () => {
  const body = readBody("w001_manual_sample_full.json");
  const keyed = { headers: { "X-Api-Key": "k1", Authorization: "Basic eA==" } };
  const named = { signatureHeaders: ["X-TE-OPS-Signature", "X-AE-OPS-Signature"] };
  const good = sign(body);
  const both = { "x-api-key": "k1", authorization: "Basic eA==" };
  const missing = "signature is missing, valid headers are";

  const refused: [settings: object, headers: Record<string, string>, message: string][] = [
    [{}, {}, `${missing} "x-svc-ops-signature"`],
    [{}, { "x-te-ops-signature": good }, `${missing} "x-svc-ops-signature"`],
    [{}, { "x-svc-ops-signature": "bad" }, "signature mismatch"],
    [{}, { "x-svc-ops-signature": sign(body, "other") }, "signature mismatch"],
    [named, {}, `${missing} "x-te-ops-signature", "x-ae-ops-signature"`],
    [keyed, { "x-svc-ops-signature": good }, 'header "X-Api-Key" is missing or wrong'],
    [
      keyed,
      { "x-svc-ops-signature": good, ...both, authorization: "Basic eQ==" },
      'header "Authorization" is missing or wrong',
    ],
    [keyed, both, `${missing} "x-svc-ops-signature"`],
    [
      { secrets: [], auth: "off", headers: { "X-Api-Key": "k1" } },
      {},
      'header "X-Api-Key" is missing or wrong',
    ],
  ];
  it.each(refused)("%j with %j is refused", async (settings, headers, message) => {
    const { receive, inbox } = createRig({ ...settings });
    const call = receive({ channel: "demo", body, headers: new Headers(headers) });
    await expect(call).rejects.toMatchObject({ kind: "unauthenticated", message });
    expect(inbox.accepts).toBe(0);
  });

  const accepted: [settings: object, headers: Record<string, string> | undefined][] = [
    [{}, { "X-SVC-OPS-Signature": good }],
    [{}, { "X-SVC-OPS-Signature": good.toUpperCase() }],
    [named, { "x-ae-ops-signature": good }],
    [named, { "x-te-ops-signature": "bad", "x-ae-ops-signature": good }],
    [keyed, { "x-svc-ops-signature": good, ...both }],
    [{ secrets: [], auth: "off" }, {}],
    [{}, undefined],
  ];
  it.each(accepted)("%j with %j is accepted", async (settings, headers) => {
    const { receive, inbox } = createRig({ ...settings });
    await receive({ channel: "demo", body, headers: headers && new Headers(headers) });
    expect(inbox.stored.map((batch) => Buffer.compare(batch.body, body))).toEqual([0]);
  });

  it("the log gets the cause of a mismatch, the answer does not", async () => {
    const { receive, events } = createRig();
    const headers = new Headers({ "x-svc-ops-signature": sign(Buffer.concat([body, Buffer.from("\n")])) });
    await expect(receive({ channel: "demo", body, headers })).rejects.toThrow(/^signature mismatch$/);
    expect(events).toEqual([["refused", "demo", "unauthenticated", "signed with a newline after the body"]]);
  });
});
