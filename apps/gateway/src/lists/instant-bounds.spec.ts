import { conversionList, toInstant } from '@refledger/contracts';
import fc from 'fast-check';
import { exclusiveBounds, createdBetween, type InstantBounds } from './instant-bounds.js';

const isWithin = (row: string, { after = '', before = '~' }: InstantBounds): boolean =>
  row > after && row < before;

const around = Date.parse('2026-01-31T09:30:00.000Z');
const rows = fc.integer({ min: -3, max: 3 }).map((ms) => around + ms);
/** Times near the rows, with any offset and up to six digits, and their exact microseconds. */
const times = fc
  .record({
    micro: fc.integer({ min: -3_500, max: 3_500 }),
    offset: fc.constantFrom(0, 60, -570, 345),
    digits: fc.integer({ min: 0, max: 6 }),
  })
  .map(({ micro, offset, digits }) => {
    const ms = Math.floor(micro / 1_000);
    const fraction = (around + ms) % 1_000;
    const all = `${String(fraction).padStart(3, '0')}${String(micro - ms * 1_000).padStart(3, '0')}`;
    const kept = all.slice(0, digits);
    const [local] = new Date(around + ms + offset * 60_000).toISOString().split('.');
    const size = Math.abs(offset);
    const zone =
      offset === 0
        ? 'Z'
        : `${offset < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
    const exact = BigInt(around + ms - fraction) * 1_000n + BigInt(kept.padEnd(6, '0'));
    return { text: `${local}${digits > 0 ? `.${kept}` : ''}${zone}`, exact };
  });

it('selects exactly the rows that the parameters mean, with any digits and offset', () => {
  fc.assert(
    fc.property(rows, times, (row, { text, exact }) => {
      const at = BigInt(row) * 1_000n;
      const shows = (name: string) => isWithin(toInstant(row), createdBetween({ [name]: text }));
      expect(conversionList.query.parse({ created_from: text }).created_from).toBe(text);
      expect({
        from: shows('created_from'),
        to: shows('created_to'),
        after: shows('created_after'),
        before: shows('created_before'),
      }).toEqual({ from: at >= exact, to: at < exact, after: at > exact, before: at < exact });
    }),
    { numRuns: 1_000 },
  );
});

it('has both ends at once, and none that is not given', () => {
  expect(
    createdBetween({ created_from: '2026-11-01T00:00:00Z', created_to: '2026-12-01T00:00:00Z' }),
  ).toEqual({ after: '2026-10-31T23:59:59.999Z', before: '2026-12-01T00:00:00.000Z' });
  expect(createdBetween({})).toEqual({});
  expect(exclusiveBounds(undefined, undefined)).toEqual({});
});

it('covers adjacent periods without a gap or an overlap', () => {
  fc.assert(
    fc.property(rows, times, (row, { text }) => {
      const at = toInstant(row);
      const parts = [createdBetween({ created_to: text }), createdBetween({ created_from: text })];
      expect(parts.filter((bounds) => isWithin(at, bounds))).toHaveLength(1);
    }),
  );
});

it('keeps bounds within the years whose text sorts chronologically', () => {
  const [first, last] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.9999Z'];
  expect(createdBetween({ created_from: first })).toEqual({ after: '0000-12-31T23:59:59.999Z' });
  expect(createdBetween({ created_from: last })).toEqual({ after: '9999-12-31T23:59:59.999Z' });
  expect(createdBetween({ created_to: last })).toEqual({ before: '9999-12-31T23:59:59.999Z' });
});
