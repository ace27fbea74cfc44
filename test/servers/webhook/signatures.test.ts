import { createSecretKey } from "node:crypto";
import { expect, it } from "vitest";
import { verifySignature } from "../../../services/webhook/receive/signature.ts";
import { secret, sign } from "../../cmd/webhook-server.ts";
import { booked, openWithTarget } from "../../e2e/webhook/http-target.ts";
import { batchOf } from "../../services/webhook/bodies.ts";
import { seeded, signed } from "./batches.ts";
import { createSender } from "./senders.ts";

const body = batchOf(["user-1"], "r-1");
const signature = sign(body);
const alphabet = [..."0123456789abcdefABCDEFgxyz =:,;\t\"'+/\\%ÿ"];

type Mutate = (text: string, at: number, random: () => number) => string;

const letter = (random: () => number): string => alphabet[Math.floor(random() * alphabet.length)]!;
const mutations: readonly Mutate[] = [
  (text, at, random) => text.slice(0, at) + letter(random) + text.slice(at + 1),
  (text, at, random) => text.slice(0, at) + letter(random) + text.slice(at),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(at) + text.slice(0, at),
  (text, at) => text.slice(0, at) + text.slice(at).split("").reverse().join(""),
  (text, at, random) => text.slice(0, at) + Array.from(text.slice(at), () => letter(random)).join(""),
  (text) => Buffer.from(text, "hex").toString("base64"),
  (text, at) => `${text},${text.slice(at)}`,
];

/** A value that is not the signature, whatever is done to it. */
function mutated(random: () => number): string {
  for (;;) {
    let text = signature;
    for (let rounds = 1 + Math.floor(random() * 3); rounds > 0; rounds--) {
      const mutate = mutations[Math.floor(random() * mutations.length)]!;
      text = mutate(text, Math.floor(random() * (text.length + 1)), random);
    }
    if (text.trim().toLowerCase() !== signature) return text;
  }
}

it("100,000 mutations of a signature: none is accepted, none is an exception", { timeout: 120_000 }, () => {
  const random = seeded(20_260_106);
  const secrets = [{ key: createSecretKey(Buffer.from(secret)), expiresMs: undefined }];
  const kinds = new Map<string, number>();
  for (let n = 0; n < 100_000; n++) {
    const { kind } = verifySignature(body, [mutated(random)], secrets, 0);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  expect([...kinds]).toEqual([["mismatch", 100_000]]);
});

it("3,000 of them over HTTP: each is answered 401, and nothing is stored", { timeout: 120_000 }, async () => {
  const { server } = await openWithTarget();
  const random = seeded(20_260_107);
  using sender = createSender(server.address);
  const good = signed(body);
  const answers = Array.from({ length: 3_000 }, () =>
    sender.send({ ...good, headers: { ...good.headers, "x-svc-ops-signature": mutated(random) } }),
  );
  await Promise.all(answers);
  expect([...sender.statuses]).toEqual([[401, 3_000]]);
  expect(await booked(server, "accepted")).toBe(0);
  expect((await server.send(body)).status).toBe(200);
});
