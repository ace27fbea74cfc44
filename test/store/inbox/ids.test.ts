import fc from "fast-check";
import { expect, it } from "vitest";
import * as ids from "../../../store/inbox/ids.ts";

const seq = fc.integer({ min: 1, max: 36 ** 8 - 1 });
const acceptedAtMs = fc.integer({ min: 0, max: 36 ** 9 - 1 });
const batch = fc.record({ seq, acceptedAtMs });

it("decodes every encoded batch id", () => {
  fc.assert(
    fc.property(batch, (key) => {
      expect(ids.decodeBatchId(ids.encodeBatchId(key))).toEqual(key);
    }),
  );
});

it("sorts batch ids by time, then by sequence", () => {
  fc.assert(
    fc.property(fc.array(batch, { minLength: 2 }), (keys) => {
      const byTime = keys.toSorted((a, b) => a.acceptedAtMs - b.acceptedAtMs || a.seq - b.seq);
      expect(keys.map(ids.encodeBatchId).toSorted()).toEqual(byTime.map(ids.encodeBatchId));
    }),
  );
});

it("decodes every encoded delivery id, whatever the target's name", () => {
  fc.assert(
    fc.property(batch, fc.nat(999_999), fc.string({ minLength: 1 }), (key, index, target) => {
      const id = ids.encodeDeliveryId(ids.encodeBatchId(key), index, target);
      expect(ids.decodeDeliveryId(id)).toEqual({ batch: key, index, target });
    }),
  );
});

it("decodes every encoded token", () => {
  const key = fc.record({ workId: seq, leaseKey: fc.integer({ min: 1, max: 2 ** 48 }) });
  fc.assert(
    fc.property(key, (lease) => {
      expect(ids.decodeToken(ids.encodeToken(lease))).toEqual(lease);
    }),
  );
});

it("returns null for other texts", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(ids.decodeBatchId(text)).toBeNull();
      expect(ids.decodeDeliveryId(text)).toBeNull();
    }),
  );
  expect(ids.decodeToken("1")).toBeNull();
  expect(ids.decodeToken("1.2.3")).toBeNull();
  expect(ids.decodeToken("1.A")).toBeNull();
});
