import { newId, toPosition, type Position } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { isEndedLater } from './is-ended-later.js';

const affiliate = newId('affiliate');
const position = (n: number) => toPosition(String(n)) as Position;
/** A log with one stream, whose events have the positions 1, 2, and so on. */
const logOf = (...types: readonly string[]) => ({
  async *readStream() {
    const events = types.map((type, n): Partial<LoggedEvent> => {
      return { type, position: position(n + 1) };
    });
    yield await Promise.resolve(events as readonly LoggedEvent[]);
  },
});

it.each([
  [['created', 'erased'], 1, true],
  [['created', 'erased'], 2, false],
  [['created', 'deleted', 'erased'], 1, true],
  [['created', 'deleted', 'erased'], 2, false],
  [['created', 'updated'], 1, false],
  [[], 1, false],
])('of %j, is ended after position %i: %s', async (types, through, isLater) => {
  const log = logOf(...types.map((type) => `affiliate.${type}`));
  expect(await isEndedLater(log, affiliate, position(through))).toBe(isLater);
});

it('is ended after no position, and only affiliates are', async () => {
  const log = logOf('affiliate.created', 'affiliate.erased');
  expect(await isEndedLater(log, affiliate, undefined)).toBe(true);
  expect(await isEndedLater(log, newId('conversion'), undefined)).toBe(false);
});
