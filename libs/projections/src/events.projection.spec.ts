import {
  accountOf,
  publicAggregateOf,
  publicEventId,
  streams,
  type DomainEvent,
  type RecordedEvent,
} from '@refledger/contracts';
import { emptyFolds } from '@refledger/domain';
import { present } from '@refledger/testing/present';
import {
  affiliateCreated,
  affiliateDeleted,
  conversionChanged,
  conversionCreated,
} from '../test/builders.js';
import { documentsOf, record, type HistoryEvent } from '../test/history.js';
import { payoutChanged, payoutCreated } from '../test/payouts.js';
import { eventsProjection } from './events.projection.js';
import { paddedPosition } from './padded-position.js';

const sale = (event: DomainEvent): HistoryEvent => ({
  stream: streams.conversion('conv_1'),
  event,
});

/** Events of several aggregates: with and without an affiliate, public and not. */
const happened: readonly HistoryEvent[] = [
  {
    stream: streams.account('acct_1'),
    event: {
      type: 'account.created',
      data: { account_id: 'acct_1', name: 'a' },
    },
  },
  { stream: streams.affiliate('aff_1'), event: affiliateCreated },
  sale(conversionCreated()),
  sale(conversionChanged('conversion.approved', {}, { status: 'approved' })),
  { stream: streams.keys('acct_1'), event: { type: 'key.revoked', data: { key_id: 'key_1' } } },
  payoutCreated(),
  payoutChanged('payout.completed', { status: 'completed' }),
  { stream: streams.affiliate('aff_1'), event: affiliateDeleted },
];

it('has one document per event of a public kind, which names its record and no more', () => {
  const events = record(happened);
  const documents = documentsOf(eventsProjection, events);

  expect([...documents.values()].map((document) => document?.['type'])).toEqual([
    'affiliate.created',
    'conversion.created',
    'conversion.approved',
    'payout.created',
    'payout.completed',
    'affiliate.deleted',
  ]);
  const [, , , approved] = events;
  expect(documents.get('00000000000000000004')).toEqual({
    event_id: publicEventId(present(approved).id),
    account_id: 'acct_1',
    position: '00000000000000000004',
    type: 'conversion.approved',
    object_id: 'conv_1',
    affiliate_id: 'aff_1',
    stream: 'refledger.conversion-conv_1',
    revision: 1,
  });
});

it('names the record that webhooks carry, and its affiliate', () => {
  const events = record(happened).filter(({ type }) => publicAggregateOf(type) !== undefined);
  const documents = documentsOf(eventsProjection, events);
  for (const event of events) {
    const published = recordOf(event, events);
    expect(documents.get(paddedPosition(event.position))).toMatchObject({
      account_id: accountOf(event),
      object_id: published.id,
      affiliate_id: 'affiliate_id' in published ? published.affiliate_id : published.id,
    });
  }
});

it('writes each document once, and loads none', () => {
  for (const event of record(happened))
    for (const key of eventsProjection.keysOf(event))
      expect(key).toMatchObject({ begins: true, isFinal: true });
});

/** The record as of an event, folded as the relay does. */
const recordOf = (event: RecordedEvent, all: readonly RecordedEvent[]) => {
  const kind = present(publicAggregateOf(event.type));
  const fold = all
    .filter(({ stream, revision }) => stream === event.stream && revision <= event.revision)
    .reduce((state, each) => state.evolve(each), emptyFolds[kind]);
  return present(fold.record);
};
