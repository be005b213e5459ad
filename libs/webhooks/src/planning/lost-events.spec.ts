import {
  newId,
  publicEventId,
  toPosition,
  type EventId,
  type Position,
} from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import type { UnfinishedDelivery } from '@refledger/delivery-store';
import { LostEvents } from './lost-events.js';

const positionOf = (n: number): Position => toPosition(String(n)) ?? ('' as Position);
const ids = [
  '3f1c6a52-0000-4000-8000-000000000001',
  '3f1c6a52-0000-4000-8000-000000000002',
  '3f1c6a52-0000-4000-8000-000000000003',
] as EventId[];
const events = ids.map((id, n) => ({ id, position: positionOf(n + 1) }) as LoggedEvent);
const waiting = events.map(({ id, position }): UnfinishedDelivery => ({
  id: newId('delivery'),
  eventId: publicEventId(id),
  position,
  decidedAt: position,
}));

describe('a delivery of a lost event', () => {
  const canceled: string[] = [];
  const lowered: string[] = [];
  /**
   * Test double: a log of these events. Its `eventAt` finds only those in `found`, and it reads in
   * one batch.
   */
  const cancelIn = (there: readonly LoggedEvent[], found = there): Promise<number> =>
    new LostEvents({
      log: {
        head: () => Promise.resolve(positionOf(2)),
        eventAt: (position) => Promise.resolve(found.find((event) => event.position === position)),
        async *readAll({ after } = {}) {
          await Promise.resolve();
          yield {
            events: there.filter(
              ({ position }) => after === undefined || Number(position) > Number(after),
            ),
            through: positionOf(9),
          };
        },
      },
      store: {
        recoverLeftBy: () => Promise.resolve(0),
        endpointsUnfinished: () => Promise.resolve([newId('endpoint')]),
        unfinished: () => Promise.resolve(waiting),
        lowerDecidedAt: (ids, to) => Promise.resolve(void lowered.push(...ids, to)),
        cancelUnfinished: (lost) => Promise.resolve(canceled.push(...lost)).then(() => lost.length),
      },
      clock: { now: () => 0 },
      holder: 'only',
      logger: { warn: () => undefined },
    }).cancel();
  beforeEach(() => (canceled.length = 0));

  it('is canceled, and no other', async () => {
    expect(await cancelIn(events.slice(0, 2))).toBe(1);
    expect(canceled).toEqual([waiting[2]?.id]);
    expect(lowered).toEqual([waiting[2]?.id, '2']);
    expect(await cancelIn([])).toBe(3);
    expect(await cancelIn(events)).toBe(0);
  });

  it('is not canceled when a lookup misses an existing event', async () => {
    await expect(cancelIn(events, events.slice(0, 1))).rejects.toThrow(
      'although looking up its position did not find it',
    );
    expect(canceled).toEqual([]);
  });
});
