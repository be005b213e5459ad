import { z } from 'zod';
import { completionOf, omissionOf } from './completion.js';

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
  expect(completionOf(schema)?.({ b: 1, after: value })).toEqual({ b: 1, after: value });
});

it('is not needed for a schema without defaults', () => {
  expect(completionOf(z.strictObject({ a: z.string().optional() }))).toBeUndefined();
});

it('is undone by an omission, which omits every default and nothing else', () => {
  const omit = omissionOf(schema);
  const data = { b: 7, before: { a: 'x', b: null }, after: { a: 'y', b: 'z' }, more: null };
  const omitted = omit?.(data);
  expect(omitted).toEqual({ before: { a: 'x' }, after: { a: 'y', b: 'z' }, more: null });
  expect(omitted && completionOf(schema)?.(omitted)).toEqual(data);
  expect(omissionOf(z.strictObject({ a: z.string().optional() }))).toBeUndefined();
});

it('compares defaults that are objects by value', () => {
  const omit = omissionOf(z.strictObject({ a: z.record(z.string(), z.int()).default({}) }));
  expect(omit?.({ a: {} })).toEqual({});
  expect(omit?.({ a: { b: 1 } })).toEqual({ a: { b: 1 } });
});
