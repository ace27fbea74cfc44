import { Client, Pool, type PoolConfig, TypeOverrides, types } from "pg";

export interface PostgresConnection {
  /** `postgresql://user:password@host:5432/database?sslmode=verify-full`. */
  readonly url: string;
  /** Connections at most. Default 10. */
  readonly maxConnections?: number;
  /** A connection, from the pool or a new one, must come within this time. Default 2 s. */
  readonly connectTimeoutMs?: number;
  /** A statement must end within this time. Default 10 s. */
  readonly statementTimeoutMs?: number;
}

/** The server ends the statement first; a server that can't is given up a little later. */
const giveUpMs = 2_000;

export function createPool(connection: PostgresConnection): Pool {
  const pool = new Pool({ ...configOf(connection), max: connection.maxConnections ?? 10 });
  // A connection that breaks is replaced, and the call that has it is told by its query. Unheard,
  // the error would end the process: the pool tells of idle connections, a lent one only by itself.
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
  // Our 64-bit integers are times and counts, far below 2^53.
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
