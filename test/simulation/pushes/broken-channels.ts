/** Changes of the channel store's statements which histories must find, one fault each. */
export const brokenChannels: Readonly<Record<string, (text: string) => string>> = {
  "leases batches that another replica is leasing": (text) => text.replace(/FOR UPDATE OF b SKIP LOCKED/, ""),
  "leases batches before their lease has ended": (text) => text.replace("b.due_at_ms <= $2", "$2 > 0"),
  "does not count attempts which have begun": (text) =>
    text.replace("attempts = attempts + 1 - is_begun", "attempts = attempts"),
  "begins attempts of batches that are leased again": (text) =>
    text.replace("b.lease_key = $2 AND b.is_open = 1", "$2 > 0 AND b.is_open = 1"),
  "settles batches that are leased again": (text) =>
    text.replace("b.lease_key = $3 AND b.is_open = 1", "$3 > 0 AND b.is_open = 1"),
  "adds to the counts what another replica has read": (text) =>
    text.replace("amount = t.amount + excluded.amount", "amount = excluded.amount"),
  "leaves runs open whose last batches were settled at the same time": (text) =>
    /^SELECT seq FROM \S+ r WHERE is_open = 1/.test(text) ? `${text} AND 1 = 0` : text,
  "begins a run for each replica": (text) =>
    text.replace(
      "SET next_run_at_ms = $1, state = $2",
      "SET next_run_at_ms = coalesce($1, next_run_at_ms), state = $2",
    ),
};
