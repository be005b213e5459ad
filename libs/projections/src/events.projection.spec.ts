import {
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
import { eventsProjection, type EventBlock, type EventEntry } from './events.projection.js';

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

/** All entries of the index, which must have one document per account and block. */
const entriesOf = (events: readonly RecordedEvent[]): readonly EventEntry[] =>
  [...documentsOf(eventsProjection, events).values()].flatMap(
    // decoding boundary
    (document) => (document as EventBlock).events,
  );

it('has the events of public kinds, which name their record and no more', () => {
  const events = record(happened);
  const documents = documentsOf(eventsProjection, events);

  expect([...documents.keys()]).toEqual(['00000000000000000000@acct_1']);
  const [document] = documents.values();
  expect(document).toMatchObject({ account_id: 'acct_1', start: '00000000000000000000' });
  const entries = entriesOf(events);
  expect(entries.map(([position, , type]) => [position, type])).toEqual([
    ['2', 'affiliate.created'],
    ['3', 'conversion.created'],
    ['4', 'conversion.approved'],
    ['6', 'payout.created'],
    ['7', 'payout.completed'],
    ['8', 'affiliate.deleted'],
  ]);
  const [, , , approved] = events;
  expect(entries[2]).toEqual([
    '4',
    publicEventId(present(approved).id),
    'conversion.approved',
    'conv_1',
    'aff_1',
  ]);
});

it('has one document for the events of an account in 64 positions', () => {
  const sales = record(Array.from({ length: 130 }, () => sale(conversionCreated())));
  const accounts = ['acct_1', 'acct_2'] as const;
  const events = sales.map((event, n) => ({
    ...event,
    metadata: { ...event.metadata, account_id: present(accounts[n % 2]) },
  }));
  const documents = documentsOf(eventsProjection, events);
  const positions = [...documents].map(([id, document]) => {
    // decoding boundary
    const { account_id, start, events: entries } = document as EventBlock;
    expect(id).toBe(`${start}@${account_id}`);
    return [id, entries.length, entries[0]?.[0], entries.at(-1)?.[0]];
  });
  expect(positions).toEqual([
    ['00000000000000000000@acct_1', 32, '1', '63'],
    ['00000000000000000000@acct_2', 31, '2', '62'],
    ['00000000000000000064@acct_2', 32, '64', '126'],
    ['00000000000000000064@acct_1', 32, '65', '127'],
    ['00000000000000000128@acct_2', 2, '128', '130'],
    ['00000000000000000128@acct_1', 1, '129', '129'],
  ]);
});

it('names the record that webhooks carry, and its affiliate', () => {
  const events = record(happened).filter(({ type }) => publicAggregateOf(type) !== undefined);
  const byPosition = new Map(entriesOf(events).map((entry) => [entry[0], entry]));
  for (const event of events) {
    const published = recordOf(event, events);
    const [, , , objectId, affiliateId] = present(byPosition.get(event.position));
    expect(objectId).toBe(published.id);
    expect(affiliateId).toBe('affiliate_id' in published ? published.affiliate_id : published.id);
  }
});

/** The record as of an event, folded as the relay does. */
const recordOf = (event: RecordedEvent, all: readonly RecordedEvent[]) => {
  const kind = present(publicAggregateOf(event.type));
  const fold = all
    .filter(({ stream, revision }) => stream === event.stream && revision <= event.revision)
    .reduce((state, each) => state.evolve(each), emptyFolds[kind]);
  return present(fold.record);
};
