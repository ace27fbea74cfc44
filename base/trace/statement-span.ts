import { attribute, ownAttribute } from "./attributes.ts";
import { inSpan, type Span, type SpanOptions, type Trace } from "./trace.ts";

/** A statement of a database. Its texts have placeholders for the values of callers. */
export interface TracedStatement {
  /** As the conventions name databases: `clickhouse`, `duckdb`. */
  readonly system: string;
  readonly sql: string;
  /** Host and port of its server. */
  readonly server?: string | undefined;
  /** The id of the statement in the logs of the server. */
  readonly queryId?: string | undefined;
}

/** Longer texts of statements are cut. */
const maxCharacters = 4_096;

/** Runs a statement in a span below `trace`. */
export function inStatementSpan<T>(
  trace: Trace | undefined,
  statement: TracedStatement,
  run: () => Promise<T>,
): Promise<T> {
  if (trace?.startSpan === undefined) return run();
  return inSpan(trace, operationOf(statement.sql), () => optionsOf(statement), run);
}

/** Starts the span of a statement whose end is reported elsewhere. */
export function startStatementSpan(trace: Trace | undefined, statement: TracedStatement): Span | undefined {
  return trace?.startSpan?.(operationOf(statement.sql), optionsOf(statement));
}

function optionsOf({ system, sql, server, queryId }: TracedStatement): SpanOptions {
  return {
    kind: "client",
    attributes: {
      [attribute.dbSystem]: system,
      [attribute.dbOperation]: operationOf(sql),
      [attribute.dbSummary]: operationOf(sql),
      [attribute.dbText]: sql.slice(0, maxCharacters),
      [attribute.serverAddress]: server,
      [ownAttribute.queryId]: queryId,
    },
  };
}

/** Returns the words with which a statement begins: `SELECT`, `CREATE TEMPORARY TABLE`. */
function operationOf(sql: string): string {
  const [, words = "statement"] = /^\s*((?:[A-Z]+)(?: (?:TEMPORARY|TEMP|TABLE|INTO)\b)*)/.exec(sql) ?? [];
  return words;
}
