import fc from 'fast-check';
import { z } from 'zod';
import type { StreamName } from '../ids/stream-name.js';
import { eventSchemas, type DomainEvent } from './index.js';
import { completeData, recordedData } from './recorded-data.js';

const recorded_at = '2026-01-31T12:00:00.000Z';
const metadata = { recorded_at };

describe.each([...eventSchemas])('%s', (type, schema) => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(valueOf(schema), (data) => {
        const event = { type, data } as DomainEvent;
        const id = 'conversion_id' in event.data ? event.data.conversion_id : 'x';
        const stream: StreamName = `refledger.conversion-${id}`;
        const recorded = stored(recordedData(event, metadata));
        const read = completeData({ type, stream, data: recorded, metadata });
        expect(read).toEqual(stored(data));
      }),
    );
  });

  it('has no optional member that a change could remove', () => {
    const { before, after } = shapeOf(schema);
    if (before === undefined || after === undefined) return;
    for (const member of Object.values(shapeOf(after)))
      expect(member).not.toBeInstanceOf(z.ZodOptional);
  });
});

/** What a log stores is JSON. */
const stored = (data: unknown): unknown => JSON.parse(JSON.stringify(data));

const shapeOf = (schema: unknown): Readonly<Record<string, unknown>> =>
  schema instanceof z.ZodObject ? schema.shape : {};

/** Few values, so that members are often equal, and often have their defaults. */
const valueOf = (schema: unknown): fc.Arbitrary<unknown> => {
  if (schema instanceof z.ZodObject)
    return fc.record(
      Object.fromEntries(
        Object.entries<unknown>(schema.shape).map(([name, of]) => [name, valueOf(of)]),
      ),
    );
  if (schema instanceof z.ZodDefault)
    return fc.oneof(fc.constant(schema.def.defaultValue), valueOf(schema.def.innerType));
  if (schema instanceof z.ZodNullable)
    return fc.oneof(fc.constant(null), valueOf(schema.def.innerType));
  if (schema instanceof z.ZodOptional)
    return fc.oneof(fc.constant(undefined), valueOf(schema.def.innerType));
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...Object.values<unknown>(schema.enum));
  if (schema instanceof z.ZodArray) return fc.array(valueOf(schema.def.element), { maxLength: 2 });
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.def.options.map(valueOf));
  if (schema instanceof z.ZodRecord)
    return fc.dictionary(fc.constantFrom('a', 'b'), valueOf(schema.def.valueType));
  if (schema instanceof z.ZodNumber) return fc.constantFrom(0, 1);
  return fc.constantFrom('a', recorded_at);
};
