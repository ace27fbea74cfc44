import { seqOf } from "../../../store/intake/place.ts";
import type { Lease } from "../../../store/leases/leases.ts";
import type { RecordPlace } from "../../../store/records/records.ts";
import type { DatabaseServer } from "../database/server.ts";
import type { Transaction } from "../database/transaction.ts";
import { InvariantError } from "../invariant-error.ts";
import { type EventOfUser, type EventTables, textOf } from "./event-tables.ts";
import { identityOf, ReferenceUsers, recordedEvent } from "./identities.ts";
import { spoolName } from "./loader.ts";

interface Table {
  readonly number: number;
  /** The ids of its rows' lines, and the place after each. */
  readonly lines: { readonly id: string; readonly end: number }[];
  size: number;
}

/** What a query must see. */
interface Visible {
  /** The place of a record is as the intake writes it. */
  readonly events: readonly (EventOfUser & { readonly place: number })[];
  /** The events in the order of their ids. */
  readonly text: string;
}

interface Head {
  readonly watermark: number;
  readonly hidden: readonly number[];
}

/** Watches the committed data of one project, and fails as soon as a rule does not hold. */
export class RecordInvariants {
  readonly #server: DatabaseServer;
  readonly #project: number;
  readonly #tables: Table[] = [];
  /** What a query at each watermark must see. */
  readonly #visibleAt = new Map<number, Visible>([[0, { events: [], text: "" }]]);
  readonly #tokens = new Map<number, number>();
  readonly #acknowledged = new Set<string>();
  readonly #events: EventTables;
  #head: Head = { watermark: 0, hidden: [] };
  #token = 0;
  /** The place from which on records report their users again; undefined while it is not known. */
  #usersFrom: number | undefined = 0;

  constructor(server: DatabaseServer, project: number, events: EventTables) {
    this.#server = server;
    this.#project = project;
    this.#events = events;
  }

  acknowledge(id: string): void {
    this.#acknowledged.add(id);
  }

  /** Checks the rules which a commit may break. */
  committed({ tables }: Transaction): void {
    if (tables.has("leases")) this.#checkLease();
    if (tables.has("record_rows") || tables.has("relations")) this.#checkPlaces();
    const isLedger = [...tables].some((table) => table.startsWith("ledger_"));
    if (isLedger) this.#checkLedger();
  }

  /** Checks what a query sees at the present head. */
  checkVisible(): void {
    const expected = this.#visibleAt.get(this.#head.watermark)!;
    this.#compare("a query", this.#events.scan(this.#head.watermark, this.#head.hidden), expected);
    this.#checkUsers(expected);
  }

  /** The event tables have lost what they knew of users. */
  usersLost(): void {
    this.#usersFrom = undefined;
  }

  /** The intake counts the users of prepared records as not reported. */
  usersMarked(): void {
    const [spool] = this.#server.read<{ prepared: number | null }>(
      "SELECT prepared FROM intake_spools WHERE spool = ?1",
      this.#project,
    );
    this.#usersFrom = spool?.prepared ?? 0;
  }

  /** Checks what a query has seen which began with a head. */
  checkSeen(watermark: number, seen: readonly EventOfUser[]): void {
    const expected = this.#visibleAt.get(watermark);
    if (expected === undefined) throw new InvariantError(`watermark ${watermark} never was committed`);
    this.#compare(`a query at watermark ${watermark}`, seen, expected);
  }

  /** Checks that no other process has acquired a lease which a process takes for its own. */
  checkHeld({ name, token }: Lease): void {
    const [current] = this.#server.read<{ token: number }>("SELECT token FROM leases WHERE name = ?1", name);
    if (current?.token === token) return;
    throw new InvariantError(`a process acts with token ${token} while ${current?.token} is acquired`);
  }

  /** Reports whether all records are loaded. */
  isLoaded(): boolean {
    const last = this.#tables.at(-1);
    const place = this.#place();
    if (last === undefined) return true;
    if (place === undefined) return false;
    return place.number > last.number || (place.number === last.number && place.offset >= last.size);
  }

  /** Checks the rules of the end, when everything is loaded. */
  checkEnd(): void {
    this.checkVisible();
    const visible = new Map<string, number>();
    for (const { id } of this.#events.scan(this.#head.watermark, this.#head.hidden)) {
      visible.set(id, (visible.get(id) ?? 0) + 1);
    }
    const end = { number: Number.POSITIVE_INFINITY, offset: 0 };
    const expected = new Set(this.#visibleTo(end).events.map(({ id }) => id));
    const stored = new Set(this.#linesTo(end).map(({ id }) => id));
    for (const id of this.#acknowledged) {
      if (!stored.has(id)) throw new InvariantError(`acknowledged record ${id} is not stored`);
      if (visible.get(id) !== (expected.has(id) ? 1 : undefined))
        throw new InvariantError(`acknowledged record ${id} is visible ${visible.get(id) ?? 0} times`);
    }
  }

  /** Checks that the tables contain nothing but what is visible. */
  checkGarbage(): void {
    const visible = this.#visibleAt.get(this.#head.watermark)!.events.length;
    if (this.#events.size === visible) return;
    throw new InvariantError(`${this.#events.size} rows remain, of which ${visible} are visible`);
  }

  #checkLease(): void {
    const token = this.#readToken();
    if (token < this.#token) throw new InvariantError(`token ${token} follows ${this.#token}`);
    this.#token = token;
  }

  #checkPlaces(): void {
    const rows = this.#server.read<{ relation: string; place: number; bytes: Uint8Array }>(
      "SELECT relation, place, bytes FROM record_rows ORDER BY CAST(substr(relation, 11) AS INTEGER), place",
    );
    for (const { relation, place, bytes } of rows) this.#addRow(Number(relation.split("_")[2]), place, bytes);
    const names = new Set(
      this.#server.read<{ name: string }>("SELECT name FROM relations").map((row) => row.name),
    );
    const loaded = this.#place();
    for (const { number, size } of this.#tables) {
      const isDropped = !names.has(`records_${this.#project}_${number}`);
      const isLoaded =
        size === 0 ||
        (loaded !== undefined &&
          (number < loaded.number || (number === loaded.number && size <= loaded.offset)));
      if (isDropped && !isLoaded) throw new InvariantError(`table ${number} is dropped before it is loaded`);
    }
  }

  #addRow(number: number, place: number, bytes: Uint8Array): void {
    let table = this.#tables.find((one) => one.number === number);
    if (table === undefined) {
      table = { number, lines: [], size: 0 };
      this.#tables.push(table);
    }
    if (place < table.size) return;
    if (place > table.size)
      throw new InvariantError(`table ${number} has nothing from ${table.size} to ${place}`);
    if (this.#tables.some((other) => other.number > number))
      throw new InvariantError(`table ${number} gets records after the next one`);
    let end = place;
    for (const id of Buffer.from(bytes).toString().trimEnd().split("\n")) {
      end += id.length + 1;
      table.lines.push({ id, end });
    }
    table.size = place + bytes.length;
  }

  #checkLedger(): void {
    this.#checkTokens();
    const [row] = this.#server.read<{ watermark: number; hidden: string }>(
      `SELECT watermark, (SELECT json_group_array(number) FROM ledger_batch_projects b
         WHERE b.project = p.project AND is_hidden = 1 AND number <= p.watermark) AS hidden
       FROM ledger_projects p WHERE project = ?1`,
      this.#project,
    );
    if (row === undefined) return;
    const head = { watermark: row.watermark, hidden: JSON.parse(row.hidden) as number[] };
    if (head.watermark < this.#head.watermark)
      throw new InvariantError(`watermark ${head.watermark} follows ${this.#head.watermark}`);
    if (head.watermark > this.#head.watermark)
      this.#visibleAt.set(head.watermark, this.#visibleTo(this.#place()));
    this.#head = head;
    this.checkVisible();
  }

  /** Compares the token of each batch that begins or is done with the token of the lease. */
  #checkTokens(): void {
    const rows = this.#server.read<{ number: number; token: number; state: string }>(
      "SELECT number, token, state FROM ledger_batches",
    );
    const open = new Map(
      rows.flatMap((row) => (row.state === "open" ? [[row.number, row.token] as const] : [])),
    );
    const token = this.#readToken();
    const begun = [...open].filter(([number]) => !this.#tokens.has(number));
    const numbers = new Set(rows.map(({ number }) => number));
    const done = [...this.#tokens].filter(([number]) => !numbers.has(number));
    for (const [number, own] of [...begun, ...done]) {
      if (own !== token)
        throw new InvariantError(`batch ${number} of token ${own} changes while token ${token} is acquired`);
    }
    this.#tokens.clear();
    for (const [number, own] of open) this.#tokens.set(number, own);
  }

  #readToken(): number {
    const name = spoolName(this.#project);
    const [row] = this.#server.read<{ token: number }>("SELECT token FROM leases WHERE name = ?1", name);
    return row?.token ?? 0;
  }

  #place(): RecordPlace | undefined {
    const [row] = this.#server.read<{ number: number | null; offset: number }>(
      "SELECT file_number AS number, file_offset AS offset FROM ledger_spools WHERE spool = ?1",
      spoolName(this.#project),
    );
    return row === undefined || row.number === null ? undefined : { number: row.number, offset: row.offset };
  }

  /** Returns the records which end at or before a place, and where each begins. */
  #linesTo(place: RecordPlace | undefined): readonly { readonly id: string; readonly at: number }[] {
    if (place === undefined) return [];
    return this.#tables.flatMap(({ number, lines }) =>
      lines.flatMap(({ id, end }) => {
        const isBefore = number < place.number || (number === place.number && end <= place.offset);
        return isBefore ? [{ id, at: seqOf({ number, offset: end - id.length - 1 }) }] : [];
      }),
    );
  }

  /** Checks that the event tables know the users of all events, and the ids which belong to these. */
  #checkUsers({ events }: Visible): void {
    const from = this.#usersFrom;
    if (from === undefined) return;
    const known = this.#events.users(this.#head.watermark, this.#head.hidden);
    for (const { id, reports, place } of events) {
      const unknown = place < from ? undefined : reports.find((report) => !known.has(report));
      if (unknown !== undefined) throw new InvariantError(`no batch reports ${unknown}, the user of ${id}`);
    }
  }

  /**
   * Each record counts once, and has the user of its place in the order of all records. Of the records with one first
   * check only the first counts.
   */
  #visibleTo(place: RecordPlace | undefined): Visible {
    const users = new ReferenceUsers();
    const seen = new Set<string>();
    const events = this.#linesTo(place).flatMap(({ id, at }) => {
      if (seen.has(id)) return [];
      seen.add(id);
      const { firstCheck } = identityOf(id);
      if (firstCheck !== undefined && seen.has(firstCheck)) return [];
      if (firstCheck !== undefined) seen.add(firstCheck);
      return [{ ...recordedEvent(id, users.resolve(id)), place: at }];
    });
    return { events, text: sortedText(events) };
  }

  #compare(who: string, seen: readonly EventOfUser[], { text }: Visible): void {
    const found = sortedText(seen);
    if (found !== text) throw new InvariantError(`${who} sees [${found}], not [${text}]`);
  }
}

function sortedText(events: readonly EventOfUser[]): string {
  return textOf(events.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
}
