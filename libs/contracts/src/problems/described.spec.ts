import { issuesIn } from '../../test/issues-in.js';
import { operations, type OperationSpec } from '../operations/operations.js';
import { createProgramSchema } from '../programs/program.requests.js';
import { described } from './described.js';

it.each([
  [null, 'null'],
  [true, 'true'],
  [1.5, '1.5'],
  ['text', '"text"'],
  ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
  [`${'x'.repeat(39)}😀`, `"${'x'.repeat(39)}\\ud83d…"`],
  ['a"\ud800', '"a\\"\\ud800"'],
  ['1\u202e2\u200b', '"1\\u202e2\\u200b"'],
  ['\u{e0020}\u2028', '"\\udb40\\udc20\\u2028"'],
  ['👩‍👩‍👧 ❤\ufe0f', '"👩‍👩‍👧 ❤\ufe0f"'],
  [[1], 'an array'],
  [{ a: 1 }, 'an object'],
])('%j is described as %s', (value, text) => expect(described(value)).toBe(text));

describe('a value that is nested too deeply for JSON.stringify', () => {
  const depth = 20_000;
  const deep: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  const specs: readonly OperationSpec[] = Object.values(operations);
  const bodies = specs.flatMap(({ body, summary }) =>
    body === undefined ? [] : [{ body, summary }],
  );

  it.each(bodies)('is refused in every field: $summary', ({ body }) => {
    for (const field of Object.keys(body.shape))
      for (const value of [deep, [deep]])
        expect(issuesIn(body, { [field]: value })).toContainEqual(
          expect.objectContaining({ path: expect.stringContaining(`/${field}`) as string }),
        );
  });

  it.each(['type', 'rate_bps', 'caps', 'recurring', 'hold_days'])(
    'is refused in terms: %s',
    (field) => {
      const terms = { type: 'percentage', rate_bps: 1, [field]: deep };
      expect(issuesIn(createProgramSchema, { name: 'Spring', terms })).toMatchObject([
        { path: `/terms/${field}` },
      ]);
    },
  );
});
