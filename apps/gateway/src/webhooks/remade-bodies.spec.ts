import {
  eventSchemaVersion,
  newId,
  publicEventId,
  streams,
  toPosition,
  type EventId,
  type Position,
} from '@refledger/contracts';
import { affiliateEvents, affiliateFields, plainPersonalData } from '@refledger/domain/testing';
import type { LoggedEvent } from '@refledger/event-log';
import { RemadeBodies, type RemadeBodiesParts } from './remade-bodies.js';

const about = { affiliate_id: newId('affiliate'), program_id: 'prog_spring' } as const;
const before = { ...affiliateFields, name: 'Ada' };
const logged = (event: object, revision: number) =>
  // the cast holds: the events are those of an affiliate
  ({
    ...event,
    id: `3f1c6a52-0000-4000-8000-00000000000${revision}` satisfies EventId,
    stream: streams.affiliate(about.affiliate_id),
    revision,
    position: toPosition(String(revision)) as Position,
    metadata: {
      account_id: newId('account'),
      actor: 'test',
      request_id: 'test',
      recorded_at: '2026-01-01T00:00:00.000Z',
      schema: eventSchemaVersion,
    },
  }) as LoggedEvent;
const created = logged(affiliateEvents.created(about, before), 0);
const updated = logged(
  affiliateEvents.changed('affiliate.updated', about, [before, { ...before, name: 'Countess' }]),
  1,
);
const delivery = {
  id: newId('delivery'),
  eventId: publicEventId(updated.id),
  position: updated.position,
  payload: 'full',
} as const;

const remade = (...skipped: readonly EventId[]): Promise<string | null> =>
  new RemadeBodies({
    log: {
      eventAt: (position) =>
        Promise.resolve([created, updated].find((event) => event.position === position)),
      async *readStream() {
        yield await Promise.resolve([created]);
      },
    },
    // the cast holds: only the state of the webhook-dispatcher is loaded
    commands: {
      load: () => Promise.resolve({ state: { skipped: new Set(skipped) } }),
    } as unknown as RemadeBodiesParts['commands'],
    throttledReads: {
      async *batches(batches) {
        yield* batches;
      },
    },
    personalData: plainPersonalData,
  }).make(delivery);

it('makes a body from the log', async () => {
  expect(JSON.parse((await remade()) ?? '')).toMatchObject({
    id: delivery.eventId,
    type: 'affiliate.updated',
    data: { id: about.affiliate_id, name: 'Countess', revision: 1 },
  });
});

it('makes none for an event that the webhook-dispatcher skips', async () => {
  expect(await remade(updated.id)).toBeNull();
});
