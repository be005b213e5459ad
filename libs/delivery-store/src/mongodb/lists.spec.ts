import type { Document as Bson } from 'mongodb';
import { listsWithOneFilter } from '../conformance/one-filter.js';
import { planOf, type DeliveryQuery } from '../delivery-query.js';
import { listIndexes, rangeCommand } from './lists.js';

/** The alternatives of a filter, each as its conditions in one document per condition. */
const branchesOf = ({ $and, $or }: Bson): readonly (readonly Bson[])[] =>
  ($or as readonly Bson[] | undefined)?.map(({ $and: all }) => all as readonly Bson[]) ?? [
    $and as readonly Bson[],
  ];
const fieldsOf = (conditions: readonly Bson[]): readonly string[] =>
  conditions.flatMap((condition) => Object.keys(condition));
const boundsOf = ({ createdAfter, createdBefore }: DeliveryQuery): readonly Bson[] => [
  ...(createdAfter === undefined ? [] : [{ created_at: { $gt: createdAfter } }]),
  ...(createdBefore === undefined ? [] : [{ created_at: { $lt: createdBefore } }]),
];

it.each(listsWithOneFilter)('$name: each alternative is one range of an index', (one) => {
  const { filter, options } = rangeCommand(planOf(one.query).range);
  const index = listIndexes.find(({ name }) => name === options.hint);
  const keys = Object.keys(index?.key ?? {});
  const [order, id] = Object.keys(options.sort);
  expect(id).toBe('_id');
  // a sorted list reads the few deliveries of an event
  if (!one.sorts) expect(keys.slice(-2)).toEqual([order, id]);
  for (const conditions of branchesOf(filter)) {
    const equal = conditions.filter((condition) =>
      Object.values(condition).every((value) => typeof value === 'string'),
    );
    expect(fieldsOf(equal)).toEqual(expect.arrayContaining(keys.slice(0, -2)));
    const ranges = fieldsOf(conditions.filter((condition) => !equal.includes(condition)));
    expect(conditions).toEqual(expect.arrayContaining(boundsOf(one.query)));
    if (!one.sorts) expect([order, id]).toEqual(expect.arrayContaining([...ranges]));
    // a partial index serves only queries that say what it holds
    for (const field of Object.keys(index?.partialFilterExpression ?? {}))
      expect(fieldsOf(conditions)).toContain(field);
  }
});
