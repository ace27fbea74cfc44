import { Client, Pool, type PoolConfig, TypeOverrides, types } from "pg";

export interface PostgresConnection {
  /** Format: `postgresql://user:password@host:5432/database?sslmode=verify-full`. */
  readonly url: string;
  /** The maximum number of connections. Default 10. */
  readonly maxConnections?: number;
  /** The maximum time to get a connection from the pool or to open one. Default 2 s. */
  readonly connectTimeoutMs?: number;
  /** The maximum time of a statement. Default 10 s. */
  readonly statementTimeoutMs?: number;
}

/** The client gives up this long after the server should have ended a statement itself. */
const giveUpMs = 2_000;

export function createPool(connection: PostgresConnection): Pool {
  const pool = new Pool({ ...configOf(connection), max: connection.maxConnections ?? 10 });
  // A broken connection is replaced, and the call which uses it fails by its query. Without these
  // listeners the error event would end the process: the pool emits it for idle connections, a
  // connection in use emits its own.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

export function createClient(connection: PostgresConnection): Client {
  const client = new Client(configOf(connection));
  client.on("error", () => {});
  return client;
}

function configOf(connection: PostgresConnection): PoolConfig {
  const { url, connectTimeoutMs = 2_000, statementTimeoutMs = 10_000 } = connection;
  // The 64-bit integers of the stores are times and counts, far below 2^53.
  const ownTypes = new TypeOverrides();
  ownTypes.setTypeParser(types.builtins.INT8, Number);
  return {
    connectionString: url,
    application_name: "engage",
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + giveUpMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    types: ownTypes,
  };
}
