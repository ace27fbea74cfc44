const heldLease = "b.lease_key = $2 AND b.is_open = 1";
const anyLease = () => "$2 > 0 AND b.is_open = 1";

/** Changes of the channel store's statements which histories must find, one fault each. */
export const brokenChannels: Readonly<Record<string, (text: string) => string>> = {
  "leases batches that another replica is leasing": (text) => text.replace(/FOR UPDATE OF b SKIP LOCKED/, ""),
  "leases batches before their lease has ended": (text) => text.replace("b.due_at_ms <= $2", "$2 > 0"),
  "does not count attempts which have begun": (text) =>
    text.replace("attempts = attempts + 1 - is_begun", "attempts = attempts"),
  "begins attempts of batches that are leased again": (text) =>
    /^SELECT b\.number, /.test(text) ? text.replace(heldLease, anyLease) : text,
  "settles batches that are leased again": (text) =>
    /^SELECT b\.run_seq, /.test(text) ? text.replace(heldLease, anyLease) : text,
  "overwrites what another commit has marked of a page": (text) =>
    /^SELECT b\.(number|run_seq), /.test(text) ? text.replace(/ FOR UPDATE.*$/, "") : text,
  "adds to the counts what another replica has read": (text) =>
    text.replace("amount = t.amount + excluded.amount", "amount = excluded.amount"),
  "leaves runs open whose last batches were settled at the same time": (text) =>
    /^SELECT seq FROM \S+ r WHERE is_open = 1/.test(text) ? `${text} AND 1 = 0` : text,
  "begins a run for each replica": (text) =>
    text.replace(
      "SET next_run_at_ms = $1, state = $2",
      "SET next_run_at_ms = coalesce($1, next_run_at_ms), state = $2",
    ),
  "begins the run of a task that is being cancelled": (text) =>
    text.replace(/^(SELECT seq, name, channel_seq[\s\S]*WHERE seq = \$1) FOR UPDATE$/, "$1"),
  "adds batches to a cancelled run": (text) =>
    text
      .replace("lease_key = 0, has_bodies = 1", "has_bodies = 1")
      .replace("lease_key = $2 AND state = 'preparing' FOR UPDATE", "lease_key = $2 FOR UPDATE"),
  "sends batches of a cancelled run again": (text) =>
    text.replace("r.state AS run_state", "'sending' AS run_state"),
};
