import { plain } from '../document.js';
import { multikeyIndexOf, type MultikeyIndex } from '../projection-spec.js';
import type { Build, CollectionSpec, IndexSpec } from '../read-store.js';

/** The quoted name of the table that holds a collection of a build. */
export const tableOf = (
  build: Pick<Build, 'id' | 'projection' | 'version'>,
  collection: string,
): string =>
  `"${plain(build.projection)}_v${build.version}_${plain(build.id)}_${plain(collection)}"`;

/** The id of the build that a table belongs to. */
export const buildIdIn = (tableName: string): string | undefined =>
  /_v\d+_([0-9a-f]{16})_/.exec(tableName)?.[1];

/**
 * The fields of a collection's indexes, apart from a multikey field. Each has its own column beside
 * the JSON.
 */
export const fieldsOf = ({ indexes }: CollectionSpec): readonly string[] => [
  ...new Set(
    indexes.flatMap(({ fields, multikey }) => fields.filter((field) => field !== multikey)),
  ),
];

/** The quoted column of an indexed field. The column has no type, so it keeps values unchanged. */
export const columnOf = (field: string): string => `"f_${plain(field)}"`;

/** The quoted name of an index. */
export const indexOf = (table: string, { fields }: IndexSpec): string =>
  `"${table.slice(1, -1)}_by_${fields.map(plain).join('_')}"`;

/**
 * The quoted name of the table with the texts of a multikey field: one row per document and text,
 * with the columns of the field's index. Tombstones have none.
 */
export const textsTableOf = (table: string, multikey: string): string =>
  `"${table.slice(1, -1)}_each_${plain(multikey)}"`;

/**
 * SQL that creates the table. A row without texts is a tombstone. The column `gone` marks it
 * too, because `gone` hardly ever changes and so suits the condition of an index.
 */
export const createTable = (table: string, collection: CollectionSpec): string => {
  const columns = fieldsOf(collection).map((field) => `, ${columnOf(field)}`);
  const documents = `CREATE TABLE ${table} (id TEXT NOT NULL PRIMARY KEY, position INTEGER NOT NULL, record TEXT, internal TEXT, gone INTEGER${columns.join('')})`;
  const index = multikeyIndexOf(collection);
  return index === undefined ? documents : `${documents}; ${createTextsTable(table, index)}`;
};

/** The index by id finds the rows to replace, so it exists from the start. */
const createTextsTable = (table: string, { fields, multikey }: MultikeyIndex): string => {
  const texts = textsTableOf(table, multikey);
  return `CREATE TABLE ${texts} (id TEXT NOT NULL, ${fields.map(columnOf).join(', ')}); CREATE INDEX "${texts.slice(1, -1)}_by_id" ON ${texts} (id)`;
};

/** SQL that drops the table and all that belongs to it. */
export const dropTable = (table: string, collection: CollectionSpec): string => {
  const multikey = multikeyIndexOf(collection)?.multikey;
  const texts = multikey === undefined ? '' : `DROP TABLE ${textsTableOf(table, multikey)}; `;
  return `${texts}DROP TABLE ${table}`;
};

/** The SQL condition that excludes tombstones. */
export const notGone = 'gone IS NULL';

/**
 * SQL that creates an index if it is missing. No index contains tombstones, nor rows that lack one
 * of its sparse fields.
 */
export const createIndex = (table: string, index: IndexSpec): string => {
  const columns = index.fields.map(columnOf).join(', ');
  if (index.multikey !== undefined)
    return `CREATE INDEX IF NOT EXISTS ${indexOf(table, index)} ON ${textsTableOf(table, index.multikey)} (${columns})`;
  const contained = [
    notGone,
    ...(index.sparse ?? []).map((field) => `${columnOf(field)} IS NOT NULL`),
  ];
  return `CREATE INDEX IF NOT EXISTS ${indexOf(table, index)} ON ${table} (${columns}) WHERE ${contained.join(' AND ')}`;
};
