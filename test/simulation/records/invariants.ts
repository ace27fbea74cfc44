import type { Lease } from "../../../store/leases/leases.ts";
import type { DatabaseServer, Transaction } from "../database/server.ts";
import { InvariantError } from "../invariant-error.ts";
import { type EventOfUser, type EventTables, textOf } from "./event-tables.ts";
import { ReferenceUsers } from "./identities.ts";
import { spoolName } from "./loader.ts";

interface Table {
  readonly number: number;
  /** The ids of its rows' lines, and the place after each. */
  readonly lines: { readonly id: string; readonly end: number }[];
  size: number;
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
  readonly #visibleAt = new Map<number, readonly EventOfUser[]>([[0, []]]);
  readonly #tokens = new Map<number, number>();
  readonly #acknowledged = new Set<string>();
  #head: Head = { watermark: 0, hidden: [] };
  #token = 0;
  events: EventTables | undefined;

  constructor(server: DatabaseServer, project: number) {
    this.#server = server;
    this.#project = project;
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
    this.#compare("a query", this.events!.scan(this.#head.watermark, this.#head.hidden), expected);
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
    return (
      place !== undefined && (place.number > last.number || this.#idsTo(place).length === this.#all().length)
    );
  }

  /** Checks the rules of the end, when everything is loaded. */
  checkEnd(): void {
    this.checkVisible();
    const visible = new Map<string, number>();
    for (const { id } of this.events!.scan(this.#head.watermark, this.#head.hidden)) {
      visible.set(id, (visible.get(id) ?? 0) + 1);
    }
    for (const id of this.#acknowledged) {
      if (visible.get(id) !== 1)
        throw new InvariantError(`acknowledged record ${id} is visible ${visible.get(id) ?? 0} times`);
    }
  }

  /** Checks that the tables contain nothing but what is visible. */
  checkGarbage(): void {
    const visible = this.#visibleAt.get(this.#head.watermark)!.length;
    if (this.events!.size === visible) return;
    throw new InvariantError(`${this.events!.size} rows remain, of which ${visible} are visible`);
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
      this.#visibleAt.set(head.watermark, this.#eventsTo(this.#place()));
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

  #place(): { readonly number: number; readonly offset: number } | undefined {
    const [row] = this.#server.read<{ number: number | null; offset: number }>(
      "SELECT file_number AS number, file_offset AS offset FROM ledger_spools WHERE spool = ?1",
      spoolName(this.#project),
    );
    return row === undefined || row.number === null ? undefined : { number: row.number, offset: row.offset };
  }

  #all(): readonly string[] {
    return this.#tables.flatMap(({ lines }) => lines.map(({ id }) => id));
  }

  #idsTo(place: { readonly number: number; readonly offset: number } | undefined): readonly string[] {
    if (place === undefined) return [];
    return this.#tables.flatMap(({ number, lines }) =>
      lines.flatMap(({ id, end }) =>
        number < place.number || (number === place.number && end <= place.offset) ? [id] : [],
      ),
    );
  }

  /** Each record counts once, and has the user of its place in the order of all records. */
  #eventsTo(place: { readonly number: number; readonly offset: number } | undefined): readonly EventOfUser[] {
    const users = new ReferenceUsers();
    return [...new Set(this.#idsTo(place))].map((id) => ({ id, userId: users.userOf(id) }));
  }

  #compare(who: string, seen: readonly EventOfUser[], expected: readonly EventOfUser[]): void {
    const [a, b] = [seen, expected].map((events) =>
      textOf(events.toSorted((x, y) => (x.id < y.id ? -1 : 1))),
    );
    if (a !== b) throw new InvariantError(`${who} sees [${a}], not [${b}]`);
  }
}
