/** Changes of the inbox's statements which histories must find, one fault each. */
export const brokenInboxes: Readonly<Record<string, (text: string) => string>> = {
  "leases work that another replica is leasing": (text) => text.replace(/FOR UPDATE OF w SKIP LOCKED/, ""),
  "leases work before its lease has ended": (text) => text.replace("w.due_at_ms <= $2", "$2 > 0"),
  "does not count attempts which have begun": (text) =>
    text.replace(/SET begun = CASE[\s\S]*? END/, "SET begun = CASE WHEN $1 <> '' THEN '' ELSE '' END"),
  "begins calls of work that is leased again": (text) =>
    /SET begun = CASE/.test(text) ? text.replace("lease_key = $3", "$3 > 0") : text,
  "replaces the reply of a request": (text) =>
    text.replace(
      "ON CONFLICT (channel, claim_key) DO NOTHING",
      `ON CONFLICT (channel, claim_key) DO UPDATE SET reply = excluded.reply, reply_crc = excluded.reply_crc,
         batch_seq = excluded.batch_seq`,
    ),
  "adds to the counts what another replica has read": (text) =>
    text.replace("pending = b.pending + excluded.pending", "pending = excluded.pending"),
  "finishes batches without a lock": (text) => text.replace(/^(SELECT seq FROM [\s\S]*) FOR UPDATE$/, "$1"),
  "keeps the order without a lock": (text) => (/pg_advisory_xact_lock/.test(text) ? "SELECT $1" : text),
};
