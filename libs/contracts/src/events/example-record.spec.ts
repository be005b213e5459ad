import { publicAggregates } from '../aggregates/public-aggregates.js';
import { eventKinds } from '../event-kinds/event-kinds.js';
import { recordObjectOf } from './public-events.js';
import { exampleRecordOf } from './example-record.js';

it.each(eventKinds)('%s has an example of its record', (kind) => {
  const record = exampleRecordOf(kind);
  expect(record.object).toBe(recordObjectOf(kind));
});

it('no two kinds of records have the same example', () => {
  const ids = new Set(eventKinds.map((kind) => exampleRecordOf(kind).id));
  expect(ids.size).toBe(Object.keys(publicAggregates).length);
});
