import { publicEventTypes } from './public-event-types.js';
import { eventPatterns, matchesKind } from './event-patterns.js';

const groups = [
  'affiliate.*',
  'program.*',
  'conversion.*',
  'adjustment.*',
  'payout.*',
  'payout_run.*',
  'webhook.*',
];

it('a pattern is a kind, all kinds of an object, or all kinds', () => {
  expect(eventPatterns.filter((pattern) => pattern.endsWith('*'))).toEqual(['*', ...groups]);
  expect(eventPatterns.slice(1 + groups.length)).toEqual(publicEventTypes);
});

describe.each(publicEventTypes)('%s', (kind) => {
  it('is matched by itself, its object and *, and by nothing else', () => {
    expect(eventPatterns.filter((pattern) => matchesKind([pattern], kind))).toEqual([
      '*',
      `${kind.split('.')[0]}.*`,
      kind,
    ]);
    expect(matchesKind([], kind)).toBe(false);
  });
});

it('a kind that is added later is matched, too', () => {
  expect(matchesKind(['conversion.*'], 'conversion.disputed')).toBe(true);
  expect(matchesKind(['*'], 'quote.created')).toBe(true);
  expect(matchesKind(['payout.*', 'conversion.created'], 'payout_run.paused')).toBe(false);
});
