import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type {
  ChannelDeleted,
  ChannelSaved,
  NewChannel,
  Page,
  PageRequest,
  StoredChannel,
} from "../records.ts";
import { channelIdOf, seqOfChannel, taskIdOf } from "./ids.ts";

interface ChannelRow {
  readonly seq: number;
  readonly name: string;
  readonly project_id: number;
  readonly definition: Uint8Array;
  readonly version: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

const columns = "seq, name, project_id, definition, version, created_at_ms, updated_at_ms";

export function* createChannel({ nowMs }: Session, channel: NewChannel): Operation<ChannelSaved> {
  const row = yield* first<ChannelRow>(
    `INSERT INTO {channels} (name, project_id, definition, version, created_at_ms, updated_at_ms)
     VALUES ($1, $2, $3, 1, $4, $4) ON CONFLICT (name) DO NOTHING RETURNING ${columns}`,
    channel.name,
    channel.projectId,
    channel.definition,
    nowMs,
  );
  return row === null ? { kind: "name_taken" } : { kind: "saved", channel: toChannel(row) };
}

export function* findChannel(_session: Session, channelId: string): Operation<StoredChannel | null> {
  const row = yield* first<ChannelRow>(
    `SELECT ${columns} FROM {channels} WHERE seq = $1`,
    seqOfChannel(channelId),
  );
  return row && toChannel(row);
}

export function* listChannels(
  _session: Session,
  { projectId }: { readonly projectId?: number },
  { limit, after }: PageRequest,
): Operation<Page<StoredChannel>> {
  const rows = yield* all<ChannelRow>(
    `SELECT ${columns} FROM {channels} WHERE (CAST($1 AS bigint) < 0 OR project_id = $1) AND name > $2
     ORDER BY name LIMIT $3`,
    projectId ?? -1,
    after ?? "",
    limit + 1,
  );
  const items = rows.slice(0, limit).map(toChannel);
  return { items, next: rows.length > limit ? items.at(-1)!.name : null };
}

export function* updateChannel(
  { nowMs, dialect }: Session,
  channelId: string,
  version: number | undefined,
  channel: NewChannel,
): Operation<ChannelSaved> {
  const seq = seqOfChannel(channelId);
  const present = yield* lockChannel(dialect.forUpdate, seq);
  if (present === null) return { kind: "unknown" };
  if (version !== undefined && version !== present.version) return { kind: "stale" };
  const other = yield* first("SELECT seq FROM {channels} WHERE name = $1 AND seq <> $2", channel.name, seq);
  if (other !== null) return { kind: "name_taken" };
  const row = yield* first<ChannelRow>(
    `UPDATE {channels} SET name = $1, project_id = $2, definition = $3, version = version + 1, updated_at_ms = $4
     WHERE seq = $5 RETURNING ${columns}`,
    channel.name,
    channel.projectId,
    channel.definition,
    nowMs,
    seq,
  );
  return { kind: "saved", channel: toChannel(row!) };
}

export function* deleteChannel(
  { dialect }: Session,
  channelId: string,
  version: number | undefined,
): Operation<ChannelDeleted> {
  const seq = seqOfChannel(channelId);
  const present = yield* lockChannel(dialect.forUpdate, seq);
  if (present === null) return { kind: "unknown" };
  if (version !== undefined && version !== present.version) return { kind: "stale" };
  const user = yield* first<{ seq: number }>(
    `SELECT seq FROM {tasks} WHERE channel_seq = $1
       AND state IN ('draft', 'scheduled', 'preparing', 'sending') ORDER BY seq LIMIT 1`,
    seq,
  );
  if (user !== null) return { kind: "in_use", taskId: taskIdOf(user.seq) };
  yield* run("DELETE FROM {channels} WHERE seq = $1", seq);
  yield* run("DELETE FROM {shares} WHERE channel_seq = $1", seq);
  return { kind: "deleted" };
}

/** Reads and locks a channel, which also prevents its deletion while one of its tasks is created. */
export function* lockChannel(forUpdate: string, seq: number): Operation<ChannelRow | null> {
  return yield* first<ChannelRow>(`SELECT ${columns} FROM {channels} WHERE seq = $1 ${forUpdate}`, seq);
}

function toChannel(row: ChannelRow): StoredChannel {
  return {
    channelId: channelIdOf(row.seq),
    name: row.name,
    projectId: row.project_id,
    definition: row.definition,
    version: row.version,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
