import { z } from 'zod';
import { completionOf } from './completion.js';

const fields = z.strictObject({ a: z.string(), b: z.string().nullable().default(null) });
const schema = z.strictObject({ b: z.int().default(7), before: fields, after: fields });

it('supplies every default, even within objects, and changes nothing else', () => {
  const complete = completionOf(schema);

  expect(complete?.({ before: { a: 'x' }, after: { a: 'y', b: 'z' }, more: 1 })).toEqual({
    b: 7,
    before: { a: 'x', b: null },
    after: { a: 'y', b: 'z' },
    more: 1,
  });
  const data = { b: 1, before: { b: 'x' }, after: { b: null } };
  expect(complete?.(data)).toBe(data);
});

it.each([undefined, null, 'text'])('leaves %j, which is not an object, as it is', (value) => {
  expect(completionOf(schema)?.(value)).toBe(value);
});

it('is not needed for a schema without defaults', () => {
  expect(completionOf(z.strictObject({ a: z.string().optional() }))).toBeUndefined();
});
