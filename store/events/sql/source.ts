import type { Builtin, Cohort, Predicate, ZoneStep } from "../scan.ts";
import type { Property } from "../schema.ts";
import { type Dialect, type ScalarType, scalar } from "./dialect.ts";
import type { Parameters, ScalarValue } from "./parameters.ts";
import type { EventColumn, EventsWanted, Relations, UserColumn } from "./relations.ts";
import type { Stages } from "./stages.ts";
import type { SumForm } from "./sum-forms.ts";

interface From {
  readonly tables: string;
  readonly conditions: readonly string[];
}

/** The context in which all parts of a query are compiled. */
export interface CompileContext {
  readonly dialect: Dialect;
  readonly relations: Relations;
  readonly parameters: Parameters;
  readonly zone: readonly ZoneStep[];
  /** The statement fails at a value that the form does not accept. Default: `split`. */
  readonly sumForm?: SumForm;
  /** Whether buckets overlap. */
  readonly hasWindows?: boolean;
  /** Whether numbers of several stretches are merged, for totals or windows. */
  readonly mergesStretches?: boolean;
  /** Collects what each shard computes; undefined when there is one. */
  readonly stages?: Stages | undefined;
}

/**
 * The FROM clause of one pass over events, which grows with what expressions refer to: `e` are the
 * events, `u` their users, `j1`, `j2` … tags and lookups.
 */
export class Source {
  readonly context: CompileContext;
  readonly #columns = new Set<EventColumn>();
  readonly #properties = new Map<number, Property>();
  readonly #userColumns = new Set<UserColumn>();
  readonly #userProperties = new Map<number, Property>();
  readonly #joins = new Map<string, string>();
  readonly #predicates = [new Map<Predicate, string>(), new Map<Predicate, string>()] as const;
  #bucket: EventsWanted["bucket"];

  constructor(context: CompileContext) {
    this.context = context;
  }

  /** Returns the SQL of a condition, which is compiled once however many measures have the condition. */
  once(predicate: Predicate, isExact: boolean, compile: () => string): string {
    const texts = this.#predicates[isExact ? 1 : 0];
    const known = texts.get(predicate);
    if (known !== undefined) return known;
    const text = compile();
    texts.set(predicate, text);
    return text;
  }

  property(property: Property): string {
    const column = this.context.relations.column(property);
    if (property.table === "event") {
      this.#properties.set(property.number, property);
      return `e.${column}`;
    }
    this.#userProperties.set(property.number, property);
    return `u.${column}`;
  }

  builtin(name: Exclude<Builtin, "event_name">): string {
    if (name === "user_account_id" || name === "user_distinct_id") {
      const column = name === "user_account_id" ? "account_id" : "distinct_id";
      this.#userColumns.add(column);
      return `u.${column}`;
    }
    const column = { event_time: "time_ms", server_time: "received_ms" } as const;
    return this.column(name === "event_time" || name === "server_time" ? column[name] : name);
  }

  column(column: EventColumn): string {
    this.#columns.add(column);
    return `e.${column}`;
  }

  bucket(text: NonNullable<EventsWanted["bucket"]>): string {
    this.#bucket = text;
    return "e.bucket";
  }

  /** Returns the value that a tag gives the user. */
  tag(cohort: Cohort): string {
    const on = (alias: string) => `${alias}.user_id = ${this.column("user_id")}`;
    return `${this.#join(this.context.relations.cohort(cohort), on)}.value`;
  }

  /** Returns the text for a value, from two lists of equal length. */
  lookup(of: string, type: ScalarType, values: readonly ScalarValue[], texts: readonly string[]): string {
    const { dialect, parameters } = this.context;
    const [keys, found] = [parameters.bindList(type, values), parameters.bindList("text", texts)];
    if (dialect.lookup !== undefined) return dialect.lookup(of, keys, found);
    const rows = dialect.rowsOf([
      { name: "k", list: keys },
      { name: "value", list: found },
    ]);
    return `${this.#join(rows, (alias) => `${alias}.k = ${of}`)}.value`;
  }

  /** Returns the FROM clause without its keyword, and the conditions that the rows need besides. */
  from(range: Pick<EventsWanted, "startMs" | "endMs" | "events">): From {
    const { relations } = this.context;
    const { oneTable } = relations;
    const needsUsers = this.#userColumns.size + this.#userProperties.size > 0;
    if (needsUsers) this.#columns.add("user_id");
    const wanted = {
      ...range,
      columns: [...this.#columns],
      properties: [...this.#properties.values()],
      bucket: this.#bucket,
    };
    const events = oneTable?.name ?? relations.events(wanted);
    const users = relations.users({
      columns: [...new Set<UserColumn>(["user_id", ...this.#userColumns])],
      properties: [...this.#userProperties.values()],
    });
    const joined = needsUsers ? ` LEFT JOIN ${users} u ON u.user_id = e.user_id` : "";
    return {
      tables: `${events} e${joined}${this.joins()}`,
      conditions: oneTable?.conditions(wanted, "e") ?? [],
    };
  }

  /** Returns the joins of tags and lookups. */
  protected joins(): string {
    return [...this.#joins.values()].join("");
  }

  #join(relation: string, on: (alias: string) => string): string {
    const key = `${relation} ${on("")}`;
    const number = [...this.#joins.keys()].indexOf(key) + 1 || this.#joins.size + 1;
    const alias = `j${number}`;
    this.#joins.set(key, ` LEFT JOIN ${relation} ${alias} ON ${on(alias)}`);
    return alias;
  }
}

export const nullOf = (dialect: Dialect, of: ScalarType): string => dialect.cast("NULL", scalar(of));
