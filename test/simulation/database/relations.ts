/** Tables which operations create and drop. The rows of all tables of one kind are in one table of the model. */
export interface TableKind {
  /** Matches the names of the tables. */
  readonly name: string;
  /** The table of the model, which has the columns of the tables and `relation`, the name of the table. */
  readonly rows: string;
  readonly columns: string;
  readonly create: string;
}

export const tableKinds: readonly TableKind[] = [
  {
    name: "records_\\d+_\\d+",
    rows: "record_rows",
    columns: "place, bytes",
    create: `CREATE TABLE record_rows (relation text NOT NULL, place bigint NOT NULL, bytes blob NOT NULL,
      PRIMARY KEY (relation, place))`,
  },
  {
    name: "intake_uuids_\\d+_\\d+",
    rows: "uuid_rows",
    columns: "hash, time_ms, seq",
    create: `CREATE TABLE uuid_rows (relation text NOT NULL, hash blob NOT NULL, time_ms bigint NOT NULL,
      seq bigint NOT NULL, PRIMARY KEY (relation, hash, seq))`,
  },
];

const anyName = tableKinds.map(({ name }) => name).join("|");
const quotedName = new RegExp(`'(${anyName})'`);
const drop = new RegExp(`^DROP TABLE (?:IF EXISTS )?(${anyName})$`);

const replacements = tableKinds.flatMap(({ name, rows, columns }): readonly (readonly [RegExp, string])[] => [
  [new RegExp(`CREATE TABLE (${name}) [\\s\\S]*$`), "INSERT INTO relations (name) VALUES ('$1')"],
  [new RegExp(`(?:ALTER TABLE|CREATE INDEX ON) ${name} [\\s\\S]*$`), "SELECT 1"],
  [
    new RegExp(`INSERT INTO (${name}) \\(([^)]*)\\)\\s+SELECT `, "g"),
    `INSERT INTO ${rows} (relation, $2) SELECT '$1', `,
  ],
  [new RegExp(`DELETE FROM (${name}) WHERE `, "g"), `DELETE FROM ${rows} WHERE relation = '$1' AND `],
  [new RegExp(`(FROM|JOIN) (${name})`, "g"), `$1 (SELECT ${columns} FROM ${rows} WHERE relation = '$2')`],
]);

/** A statement on tables of the model. */
export interface OnRelation {
  readonly statements: readonly string[];
  /** The table which must exist. */
  readonly relation: string | undefined;
}

export function onRelations(sql: string): OnRelation {
  const dropped = drop.exec(sql)?.[1];
  if (dropped !== undefined) {
    const tables = tableKinds.map(({ rows }) => `DELETE FROM ${rows} WHERE relation = '${dropped}'`);
    const statements = [...tables, `DELETE FROM relations WHERE name = '${dropped}'`];
    return { statements, relation: undefined };
  }
  let text = sql;
  for (const [pattern, replacement] of replacements) text = text.replace(pattern, replacement);
  const isNew = text.startsWith("INSERT INTO relations");
  return { statements: [text], relation: isNew ? undefined : quotedName.exec(text)?.[1] };
}
