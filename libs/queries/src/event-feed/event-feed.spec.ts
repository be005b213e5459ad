import {
  DomainError,
  newId,
  publicEventId,
  toPosition,
  type EventId,
  type Position,
} from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { EventFeed, type EventFeedParts } from './event-feed.js';

const caller = { accountId: newId('account'), keyId: newId('key'), scope: 'read' } as const;
const context = { caller, minPosition: undefined };
const positionOf = (n: number): Position => toPosition(String(n)) as Position;
const eventIds = Array.from(
  { length: 5 },
  (_, n): EventId => `3f1c6a52-0000-4000-8000-00000000000${n}`,
);
const start = '0'.repeat(20);

/** A feed of the events 1 to 4, of which this release cannot read one. */
const feedWith = ({ unreadable }: { readonly unreadable?: number }): EventFeed => {
  const idOf = (position: number): EventId => eventIds[position] ?? '';
  // the casts hold: only these methods are called, and of an event only its id and position are read
  return new EventFeed({
    log: {
      eventAt: (position: Position) =>
        Promise.resolve({ id: idOf(Number(position)), position } as LoggedEvent),
    },
    readModels: {
      find: () => {
        const events = [1, 2, 3, 4].map((n) => [
          String(n),
          publicEventId(idOf(n)),
          'conversion.created',
          'conv_1',
          null,
        ]);
        const block = { account_id: caller.accountId, start, events };
        return Promise.resolve({ value: [block], position: positionOf(4) });
      },
    },
    consistency: { logId: 'log', isBeyondTheLog: () => Promise.resolve(false) },
    commands: { instant: () => '2026-01-01T00:00:00.000Z' },
    throttledReads: {
      async *batches<T>(batches: AsyncIterable<T>) {
        yield* batches;
      },
    },
    bodies: {
      makeAll: (events: readonly LoggedEvent[]) => {
        const failing = events.findIndex(({ position }) => Number(position) === unreadable);
        const readable = failing < 0 ? events : events.slice(0, failing);
        const bodies = readable.map(({ position }) => `{"position":"${position}"}`);
        const failure = { failure: new Error('unreadable') };
        return Promise.resolve({ bodies, ...(failing >= 0 && failure) });
      },
    },
  } as unknown as EventFeedParts);
};
const bodyOf = (position: number): string => `{"position":"${position}"}`;

it('has a page of bodies, and where to continue', async () => {
  const feed = feedWith({});
  expect(await feed.page({ query: {}, ...context })).toEqual({
    bodies: [1, 2, 3, 4].map(bodyOf),
    hasMore: false,
    next: '4',
    reached: '4',
  });
  expect(await feed.page({ query: { limit: '2' }, ...context })).toMatchObject({
    bodies: [1, 2].map(bodyOf),
    hasMore: true,
    next: '2',
  });
});

it('ends a page before an event that this release cannot read', async () => {
  const feed = feedWith({ unreadable: 3 });
  expect(await feed.page({ query: {}, ...context })).toMatchObject({
    bodies: [1, 2].map(bodyOf),
    hasMore: true,
    next: '2',
  });
  expect(await feed.page({ query: { sort: '-position' }, ...context })).toMatchObject({
    bodies: [bodyOf(4)],
    hasMore: true,
    next: '4',
  });
});

it('fails if the first event of a page is such an event', async () => {
  const refused = expect.objectContaining({ code: 'unavailable' }) as DomainError;
  const feed = feedWith({ unreadable: 1 });
  await expect(feed.page({ query: {}, ...context })).rejects.toEqual(refused);
  await expect(feed.get(positionOf(1), context)).rejects.toEqual(refused);
  expect(await feed.get(positionOf(2), context)).toEqual({ body: bodyOf(2), reached: '4' });
});
