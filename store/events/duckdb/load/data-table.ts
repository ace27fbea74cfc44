import type { Property } from "../../schema.ts";
import { type DataTable, propertyColumn, propertySqlType } from "../layout.ts";
import type { Session } from "../session.ts";

/** Creates the table, or adds its missing columns. */
export async function ensureColumns(
  session: Session,
  table: string,
  existing: DataTable | undefined,
  base: Readonly<Record<string, string>>,
  properties: readonly Property[],
): Promise<DataTable> {
  const missing = properties.filter(({ number }) => !existing?.properties.has(number));
  const definitions = missing.map((one) => `${propertyColumn(one)} ${propertySqlType(one)}`);
  if (existing === undefined) {
    const columns = [...Object.entries(base).map(([name, type]) => `${name} ${type}`), ...definitions];
    await session.run(`CREATE TABLE ${table} (${columns.join(", ")})`);
  } else if (definitions.length > 0) {
    await session.run(definitions.map((one) => `ALTER TABLE ${table} ADD COLUMN ${one}`).join(";"));
  }
  if (existing !== undefined && missing.length === 0) return existing;
  const numbers = missing.map(({ number }) => number);
  return { table, properties: new Set([...(existing?.properties ?? []), ...numbers]) };
}

/** Returns the properties with a value in some row of the table. */
export async function usedProperties(
  session: Session,
  table: string,
  properties: readonly Property[],
): Promise<readonly Property[]> {
  if (properties.length === 0) return [];
  const counts = properties.map((one) => `count(${propertyColumn(one)}) > 0`);
  const [row] = await session.rows<[boolean[]]>(`SELECT [${counts.join(", ")}] FROM ${table}`);
  return properties.filter((_, at) => row![0][at]);
}
