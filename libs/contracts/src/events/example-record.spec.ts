import { publicAggregates } from '../aggregates/public-aggregates.js';
import { publicEventTypes } from '../event-types/public-event-types.js';
import { recordObjectOf, exampleRecordOf } from './public-events.js';

it.each(publicEventTypes)('%s has an example of its record', (kind) => {
  const record = exampleRecordOf(kind);
  expect(record.object).toBe(recordObjectOf(kind));
});

it('no two kinds of records have the same example', () => {
  const ids = new Set(publicEventTypes.map((kind) => exampleRecordOf(kind).id));
  expect(ids.size).toBe(Object.keys(publicAggregates).length);
});
