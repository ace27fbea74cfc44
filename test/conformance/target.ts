import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/async/clock.ts";
import { attemptCall } from "../../services/webhook/delivery/attempt.ts";
import type { Target, TargetOutcome } from "../../services/webhook/targets/target.ts";
import { handedBatch, messageJson } from "../services/webhook/handed.ts";

/**
 * What the other side does with messages. accept: takes them. later: says not
 * now. never: says never. hang: says nothing. flood: takes them, with an answer
 * beyond every limit.
 */
export type Behaviour = "accept" | "later" | "never" | "hang" | "flood";

export interface Received {
  readonly pushId: string;
  readonly receipt: string;
}

/** A target and the real thing that it talks to. */
export interface TargetRig extends AsyncDisposable {
  readonly target: Target;
  behave(behaviour: Exclude<Behaviour, "accept">): unknown;
  /** Returns what the other side received, in order. */
  received(): Promise<readonly Received[]> | readonly Received[];
  /** The other side goes away, and comes back at the same place. */
  goAway(): Promise<unknown>;
  comeBack(): Promise<unknown>;
}

/** Tests that every target must pass. `knows` lists what the other side can simulate. */
export function testTarget(
  name: string,
  createRig: () => Promise<TargetRig>,
  knows: readonly Exclude<Behaviour, "accept">[],
): void {
  describe(`target: ${name}`, () => {
    let rig: TargetRig;
    beforeEach(async () => {
      rig = await createRig();
    });
    afterEach(async () => {
      await rig[Symbol.asyncDispose]();
    });

    it("passes all messages on in their order, with their receipts byte for byte", async () => {
      const sent = ["a@example.com", "b@example.com", "c@example.com"].map((pushId, at) => ({
        pushId,
        receipt: `{"ops_project_id":1234567890123456789${at},"x":1.0, "2":[ ],"1":{}}`,
      }));
      const outcomes = await deliver(rig.target, sent);
      expect(outcomes).toEqual(sent.map(() => ({ kind: "done" })));
      expect(await rig.received()).toEqual(sent);
    });

    it("continues after the first batch", async () => {
      for (const pushId of ["a@example.com", "b@example.com"]) await deliver(rig.target, [message(pushId)]);
      expect(await rig.received()).toEqual([message("a@example.com"), message("b@example.com")]);
    });

    it("accepts concurrent calls", async () => {
      const sent = Array.from({ length: 20 }, (_, at) => message(`u${at}@example.com`));
      await Promise.all(sent.map((one) => deliver(rig.target, [one])));
      expect(new Set((await rig.received()).map(({ pushId }) => pushId)).size).toBe(20);
    });

    it("fails as a whole while the receiver is unavailable, and works when it is available again", async () => {
      await deliver(rig.target, [message("a@example.com")]);
      await rig.goAway();
      expect(await attempt(rig.target)).toEqual([
        expect.objectContaining({ kind: "retry", isTargetDown: true, reason: expect.stringMatching(/./) }),
      ]);
      await rig.comeBack();
      expect(await attempt(rig.target)).toEqual([{ kind: "done" }]);
    });

    it.each(knows.filter((behaviour) => behaviour === "later"))("%s: tries again", async (behaviour) => {
      await rig.behave(behaviour);
      expect(await deliver(rig.target, [message("a@example.com")])).toEqual([
        expect.objectContaining({ kind: "retry", reason: expect.stringMatching(/./) }),
      ]);
    });

    it.each(knows.filter((behaviour) => behaviour === "never"))("%s: gives up", async (behaviour) => {
      await rig.behave(behaviour);
      expect(await deliver(rig.target, [message("a@example.com")])).toEqual([
        { kind: "dead", reason: expect.stringMatching(/./) },
      ]);
    });

    it.each(knows.filter((behaviour) => behaviour === "hang"))(
      "%s: ends when it is aborted",
      async (behaviour) => {
        await rig.behave(behaviour);
        const call = new AbortController();
        const ended = rig.target.deliver(batchOf([message("a@example.com")]), call.signal).then(
          (outcomes) => outcomes.map(({ kind }) => kind),
          () => ["retry"],
        );
        call.abort();
        expect(await ended).toEqual(["retry"]);
      },
    );

    it.each(knows.filter((behaviour) => behaviour === "hang"))(
      "%s: ends when its time is up",
      async (behaviour) => {
        await rig.behave(behaviour);
        expect(await attempt(rig.target, 100)).toEqual([
          { kind: "retry", isTargetDown: true, reason: "no response within 100 ms" },
        ]);
      },
    );

    it.each(knows.filter((behaviour) => behaviour === "flood"))(
      "%s: reads no more than its limit",
      async (behaviour) => {
        await rig.behave(behaviour);
        const [outcome] = await deliver(rig.target, [message("a@example.com")]);
        expect(["done", "retry"]).toContain(outcome?.kind);
      },
    );

    it("can be closed before it was used, and twice", async () => {
      await rig.target[Symbol.asyncDispose]();
      await rig.target[Symbol.asyncDispose]();
      expect(await rig.received()).toEqual([]);
    });
  });
}

function message(pushId: string): Received {
  return { pushId, receipt: '{"ops_project_id":1}' };
}

let batches = 0;

/** A new batch each time: targets may drop what they have had. */
function batchOf(messages: readonly Received[]) {
  const texts = messages.map(({ pushId, receipt }) => messageJson(pushId, receipt));
  return handedBatch(texts, { batchId: `batch${++batches}` });
}

/** Delivers messages in as many calls as the target needs. */
async function deliver(target: Target, messages: readonly Received[]): Promise<readonly TargetOutcome[]> {
  const { signal } = new AbortController();
  const batch = batchOf(messages);
  const outcomes: TargetOutcome[] = [];
  for (let at = 0; at < messages.length; at += target.maxMessages) {
    const elements = batch.elements.slice(at, at + target.maxMessages);
    outcomes.push(...(await target.deliver({ ...batch, elements }, signal)));
  }
  return outcomes;
}

async function attempt(target: Target, timeoutMs = 10_000): Promise<readonly TargetOutcome[]> {
  const { signal } = new AbortController();
  const batch = batchOf([message("a@example.com")]);
  const { outcomes } = await attemptCall(target, batch, { timeoutMs, clock: systemClock, signal });
  return outcomes;
}
