/** A record and the headers of requests that report it. */
export const record = {
  "#account_id": "a",
  "#type": "track",
  "#event_name": "e",
  "#time": "2026-01-02 03:04:05",
  properties: { price: 1 },
};
export const bad = { ...record, "#event_name": "1a" };
export const plain = { appid: "APP_ID", "content-type": "application/plaintext" };
export const form = { "content-type": "application/x-www-form-urlencoded" };
export const json = JSON.stringify([record]);
export const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64");
