import fc from 'fast-check';
import { toInstant } from './instant.js';
import { positionOrTime } from './shared/position-or-time.js';
import { instantInputSchema, instantParameterSchema, instantSchema } from './time.js';

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
  '2026-01-31t09:30:00z',
  '9999-12-31T23:59:60Z',
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
  '2026-01-31T09:30:61Z',
  '2026-01-31T09:60:00Z',
  '2026-01-31T09:30:60',
  '2026-02-30t09:30:00z',
  '2026-01-31T09:30:00ZZ',
  // years outside 1 to 9999 in UTC
  '0000-12-31T23:59:59Z',
  '0000-01-01T00:00:00+01:00',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
])('%j is not accepted', (time) => expect(instantInputSchema.safeParse(time).success).toBe(false));

it.each([
  ['2026-01-31t09:30:00z', '2026-01-31T09:30:00Z'],
  ['2026-01-31T09:30:00.5z', '2026-01-31T09:30:00.5Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ['2016-12-31t18:59:60.123-05:00', '2016-12-31T18:59:59.999-05:00'],
  ['2026-01-31T09:30:59.9999999Z', '2026-01-31T09:30:59.9999999Z'],
])('%s is read as %s, in bodies and in parameters', (sent, read) => {
  for (const schema of [
    instantInputSchema,
    instantParameterSchema,
    positionOrTime(instantInputSchema),
  ])
    expect(schema.parse(sent)).toBe(read);
  expect(Date.parse(read)).not.toBeNaN();
});

it('reads every RFC 3339 time of a second as the time that a clock without leap seconds shows', () => {
  const part = (max: number) => fc.integer({ min: 0, max });
  const offset = fc.constantFrom('Z', 'z', '+05:30', '-11:59');
  fc.assert(
    fc.property(
      fc.tuple(part(23), part(59), part(60), fc.constantFrom('T', 't'), offset),
      ([hour, minute, second, t, zone]) => {
        const pad = (n: number): string => String(n).padStart(2, '0');
        const read = instantInputSchema.parse(
          `2026-01-31${t}${pad(hour)}:${pad(minute)}:${pad(second)}${zone}`,
        );
        const inMinute = Date.parse(
          `2026-01-31T${pad(hour)}:${pad(minute)}:00${zone.toUpperCase()}`,
        );
        expect(Date.parse(read) - inMinute).toBe(second === 60 ? 59_999 : second * 1_000);
      },
    ),
  );
});
