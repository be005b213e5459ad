import { boundLimit, type Database, type Statement } from '@refledger/sqlite';
import { deliveryIndexes, type DeliveryIndex, type DeliveryRange } from '../delivery-query.js';
import type { DeliverySummary } from '../delivery.js';
import { summaryColumns } from './statements/columns.js';

/** The statements that create the indexes of the lists. */
export const listIndexes = (): string =>
  deliveryIndexes
    .map((index) => {
      const those = onlyThose(index);
      const where = those.length === 0 ? '' : ` WHERE ${those.join(' AND ')}`;
      return `CREATE INDEX ${index.name} ON deliveries (${[...index.by, index.order, 'id'].join(', ')})${where};`;
    })
    .join('\n  ');

/** Reads ranges of lists. There are a few dozen statements, which are prepared once each. */
export const rangeReader = (
  db: Database,
): ((range: DeliveryRange) => readonly DeliverySummary[]) => {
  const prepared = new Map<string, Statement<DeliverySummary>>();
  return (range) => {
    const { sql, values } = rangeStatement(range);
    const statement = prepared.get(sql) ?? db.prepare<DeliverySummary>(sql);
    prepared.set(sql, statement);
    return statement.all(...values);
  };
};

/** A statement and the values to bind. */
interface ListStatement {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** The statement that reads a range of an index. */
export const rangeStatement = (range: DeliveryRange): ListStatement => {
  const { index, equal, order, limit } = range;
  const direction = order.descending ? 'DESC' : 'ASC';
  const bounds = boundsOf(range);
  const conditions = [
    ...equal.map(([field]) => `${field} = ?`),
    ...onlyThose(index),
    ...bounds.map(({ sql }) => sql),
  ];
  return {
    sql: `
    SELECT ${summaryColumns} FROM deliveries INDEXED BY ${index.name} WHERE ${conditions.join(' AND ')}
    ORDER BY ${order.by} ${direction}, id ${direction} LIMIT ${boundLimit}`,
    values: [...equal.map(([, value]) => value), ...bounds.flatMap(({ values }) => values), limit],
  };
};

/**
 * Where the page begins and the list ends. After a cursor, the list needs no other beginning: of
 * two bounds on one side, SQLite may seek to the wider one.
 */
const boundsOf = ({ order, after, from, until }: DeliveryRange): readonly ListStatement[] => {
  const { by, descending } = order;
  const isFirstPage = after === undefined;
  return [
    ...(from !== undefined && (isFirstPage || descending)
      ? [{ sql: `${by} > ?`, values: [from] }]
      : []),
    ...(until !== undefined && (isFirstPage || !descending)
      ? [{ sql: `${by} < ?`, values: [until] }]
      : []),
    ...(after === undefined
      ? []
      : [{ sql: `(${by}, id) ${descending ? '<' : '>'} (?, ?)`, values: after }]),
  ];
};

/** What a partial index holds. The query must say it too, in the same words. */
const onlyThose = ({ order, only }: DeliveryIndex): readonly string[] => [
  ...(order === 'finished_at' ? ['finished_at IS NOT NULL'] : []),
  ...(only === undefined
    ? []
    : ['equals' in only ? `${only.field} = '${only.equals}'` : `${only.field} > '${only.above}'`]),
];
