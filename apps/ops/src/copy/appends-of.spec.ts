import fc from 'fast-check';
import type { Position } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { appendsOf } from './appends-of.js';

const eventOf = (stream: string, n: number, size = 1): LoggedEvent => ({
  id: String(n),
  type: 'test',
  data: 'x'.repeat(size),
  metadata: { account_id: null, actor: 'a', request_id: 'r', schema: 1, recorded_at: '' },
  stream: `refledger.${stream}`,
  revision: n,
  position: String(n) as Position,
});
const shape = (events: readonly LoggedEvent[]): string =>
  appendsOf(events)
    .map((run) => run.map(({ id }) => id).join(' '))
    .join(' | ');

it('combines consecutive events of one stream', () => {
  expect(shape([])).toBe('');
  expect(shape([eventOf('a', 1), eventOf('a', 2), eventOf('b', 3), eventOf('a', 4)])).toBe(
    '1 2 | 3 | 4',
  );
});

it('bounds an append in events and bytes', () => {
  expect(
    appendsOf(Array.from({ length: 250 }, (_, n) => eventOf('a', n))).map(({ length }) => length),
  ).toEqual([100, 100, 50]);
  expect(
    shape([
      eventOf('a', 1, 200_000),
      eventOf('a', 2, 50_000),
      eventOf('a', 3, 50_000),
      eventOf('a', 4, 1_000_000),
      eventOf('a', 5),
    ]),
  ).toBe('1 2 | 3 | 4 | 5');
});

it('keeps the order of all events, with one stream per append', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          stream: fc.constantFrom('a', 'b', 'c'),
          size: fc.integer({ min: 0, max: 200_000 }),
        }),
        { maxLength: 30 },
      ),
      (all) => {
        const events = all.map(({ stream, size }, n) => eventOf(stream, n, size));
        const runs = appendsOf(events);
        expect(runs.flat()).toEqual(events);
        for (const run of runs) expect(new Set(run.map(({ stream }) => stream)).size).toBe(1);
      },
    ),
    { numRuns: 30 },
  );
});
