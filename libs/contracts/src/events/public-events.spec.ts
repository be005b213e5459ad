import { z } from 'zod';
import { publicEventTypes } from '../event-types/public-event-types.js';
import { eventSchemas } from './index.js';
import { objectIdOf } from './public-events.js';

it.each(publicEventTypes)('%s has the id of its record in a field of its data', (kind) => {
  const schema = eventSchemas.get(kind);
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const named = objectIdOf(kind, Object.fromEntries(fields.map((field) => [field, field])));
  expect(fields).toContain(named);
});

it('rejects an event that names no record', () => {
  expect(() => objectIdOf('conversion.created', { affiliate_id: 'aff_1' })).toThrow(
    'the event conversion.created names no record',
  );
});
