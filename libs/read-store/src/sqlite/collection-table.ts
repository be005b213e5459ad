import type { Build, CollectionSpec, IndexSpec } from '../read-store.js';

/** The quoted name of the table that holds a collection of a build. */
export const tableOf = (
  build: Pick<Build, 'id' | 'projection' | 'version'>,
  collection: string,
): string => `"${name(build.projection)}_v${build.version}_${name(build.id)}_${name(collection)}"`;

/** The id of the build that a table was made for. */
export const buildIdIn = (tableName: string): string | undefined =>
  /_v\d+_([0-9a-f]{16})_/.exec(tableName)?.[1];

/** The fields of a collection's indexes: each has a column beside the JSON. */
export const fieldsOf = ({ indexes }: CollectionSpec): readonly string[] => [
  ...new Set(indexes.flatMap(({ fields }) => fields)),
];

/** The quoted column of an indexed field. It has no type, so it keeps values as they are. */
export const columnOf = (field: string): string => `"f_${name(field)}"`;

/** The quoted name of an index. */
export const indexOf = (table: string, { fields }: IndexSpec): string =>
  `"${table.slice(1, -1)}_by_${fields.map(name).join('_')}"`;

/** SQL that makes the table. A row without a document is a tombstone, which `gone` says too: it hardly ever changes, so indexes may ask for it. */
export const createTable = (table: string, collection: CollectionSpec): string =>
  `CREATE TABLE ${table} (id TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, document TEXT, gone INTEGER${fieldsOf(
    collection,
  )
    .map((field) => `, ${columnOf(field)}`)
    .join('')})`;

/** The condition of being no tombstone. */
export const isThere = 'gone IS NULL';

/** SQL that makes an index where it isn't there. Tombstones are in none. */
export const createIndex = (table: string, index: IndexSpec): string =>
  `CREATE INDEX IF NOT EXISTS ${indexOf(table, index)} ON ${table} (${index.fields.map(columnOf).join(', ')}) WHERE ${isThere}`;

/** Names become part of SQL, so they are plain. */
const name = (text: string): string => {
  if (!/^[a-z0-9][a-z0-9_]*$/.test(text))
    throw new TypeError(
      `${JSON.stringify(text)} can't be a name in the read store: lower-case letters, digits and _ only`,
    );
  return text;
};
