import { z } from 'zod';
import { issuesIn } from '../../test/issues-in.js';

it('compares an unknown field within a field with none of those around it', () => {
  const schema = z.strictObject({ inner: z.strictObject({ a: z.int() }) });
  expect(issuesIn(schema, { inner: { a: 1, id: 2 } }, { immutable: ['id'] })).toEqual([
    {
      path: '/inner/id',
      code: 'unknown_field',
      message: 'inner.id is not a field of this request. Omit it.',
    },
  ]);
});

it.each([
  [{}, 'required', 'either.kind is required.'],
  [{ kind: 'c' }, 'not_one_of', 'either.kind must be one of a, b, but was "c".'],
])('names the variants of an object: %j', (either, code, message) => {
  const variant = (kind: string) => z.strictObject({ kind: z.literal(kind) });
  const schema = z.strictObject({
    either: z.discriminatedUnion('kind', [variant('a'), variant('b')]),
  });
  expect(issuesIn(schema, { either })).toEqual([{ path: '/either/kind', code, message }]);
});
