import fc from 'fast-check';
import { toInstant } from './instant.js';
import { instantInputSchema, instantSchema } from './time.js';

it('writes instants whose text order is time order', () => {
  const times = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(
    fc.property(times, times, (a, b) => {
      expect(instantSchema.safeParse(toInstant(a)).success).toBe(true);
      expect(toInstant(a) < toInstant(b)).toBe(a < b);
    }),
  );
});

it('writes successive instants, including repeated ones', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3 })), (times) => {
      for (const time of times) expect(toInstant(time)).toBe(new Date(time).toISOString());
    }),
  );
});

it.each([
  '2026-01-31T09:30:00Z',
  '2026-01-31T09:30:00.123456Z',
  '2026-01-31T09:30:00+05:30',
  '2024-02-29T00:00:00-00:00',
  '0001-01-01T00:00:00Z',
  '0000-12-31T23:00:00-01:00',
  '9999-12-31T23:59:59.999Z',
])('%s is accepted', (time) => expect(instantInputSchema.safeParse(time).success).toBe(true));

it.each([
  '',
  'now',
  '2026-01-31',
  '2026-01-31T09:30:00',
  '2026-02-30T09:30:00Z',
  '2026-01-31T25:00:00Z',
  '2026-01-31 09:30:00Z',
  '1738315800',
  // years outside 1 to 9999 in UTC
  '0000-12-31T23:59:59Z',
  '0000-01-01T00:00:00+01:00',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
])('%j is not accepted', (time) => expect(instantInputSchema.safeParse(time).success).toBe(false));
