/** Base 36: 9 digits of milliseconds last until the year 5188, 8 digits of a sequence number until 2.8e12. */
const timeDigits = 9;
const sequenceDigits = 8;
const batchIdPattern = /^[0-9a-z]{17}$/;

export interface BatchKey {
  readonly seq: number;
  readonly acceptedAtMs: number;
}

/** Encodes a batch id as text which sorts by time, then by sequence number. */
export function encodeBatchId({ seq, acceptedAtMs }: BatchKey): string {
  const time = acceptedAtMs.toString(36).padStart(timeDigits, "0");
  return time + seq.toString(36).padStart(sequenceDigits, "0");
}

/** Decodes a batch id; null when the text is not one. */
export function decodeBatchId(batchId: string): BatchKey | null {
  if (!batchIdPattern.test(batchId)) return null;
  return {
    acceptedAtMs: Number.parseInt(batchId.slice(0, timeDigits), 36),
    seq: Number.parseInt(batchId.slice(timeDigits), 36),
  };
}

export interface DeliveryKey {
  readonly batch: BatchKey;
  readonly index: number;
  readonly target: string;
}

export function encodeDeliveryId(batchId: string, index: number, target: string): string {
  return `${batchId}.${index}.${target}`;
}

/** Decodes a delivery id; null when the text is not one. */
export function decodeDeliveryId(deliveryId: string): DeliveryKey | null {
  const [, batchId = "", index = "", target = ""] = /^([^.]*)\.(\d{1,9})\.(.+)$/s.exec(deliveryId) ?? [];
  const batch = decodeBatchId(batchId);
  return batch === null ? null : { batch, index: Number(index), target };
}

export interface LeaseKey {
  readonly workId: number;
  /** Random: a token can't be guessed, and each lease of the same item has a different one. */
  readonly leaseKey: number;
}

export function encodeToken({ workId, leaseKey }: LeaseKey): string {
  return `${workId.toString(36)}.${leaseKey.toString(36)}`;
}

/** Decodes a lease token; null when the text is not one, which counts as stale. */
export function decodeToken(token: string): LeaseKey | null {
  const [, work = "", lease = ""] = /^([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/.exec(token) ?? [];
  if (work === "") return null;
  return { workId: Number.parseInt(work, 36), leaseKey: Number.parseInt(lease, 36) };
}
