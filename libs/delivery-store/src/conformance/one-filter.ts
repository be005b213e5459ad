import { derivedId } from '@refledger/contracts';
import type { DeliveryQuery } from '../delivery-query.js';
import { endpointOf, planned, t } from './under-test.js';

/** A list, and whether it sorts what it finds. */
export interface ListCase {
  readonly name: string;
  readonly query: DeliveryQuery;
  readonly sorts: boolean;
}

const { accountId, eventId, id } = planned('a', 1);
const scopes = { account: { accountId }, endpoint: { accountId, endpointId: endpointOf('a') } };
const filters: Readonly<Record<string, Partial<DeliveryQuery>>> = {
  all: {},
  'waiting ones': { status: 'waiting' },
  'held ones': { status: 'held' },
  'sending ones': { status: 'sending' },
  'succeeded ones': { status: 'succeeded' },
  'failed ones': { status: 'failed' },
  'canceled ones': { status: 'canceled' },
  'those of a type': { eventType: 'conversion.created' },
  'those of an event': { eventId },
  'those of a record': { objectId: derivedId('conversion', '1') },
  'redelivered ones': { trigger: 'redeliver' },
  'those created after an instant': { createdAfter: t(1) },
  'those created before an instant': { createdBefore: t(3) },
  'those created between two instants': { createdAfter: t(1), createdBefore: t(3) },
  'failed ones created between two instants': {
    status: 'failed',
    createdAfter: t(1),
    createdBefore: t(3),
  },
};

/** All lists with at most one filter, read from the beginning and from somewhere in the middle. */
export const listsWithOneFilter: readonly ListCase[] = Object.entries(scopes)
  .flatMap(([of, scope]) =>
    [false, true].flatMap((descending) => [
      ...Object.entries(filters).map(([what, filter]) => ({
        name: `of an ${of}: ${what} by creation`,
        query: { ...scope, ...filter, order: { by: 'created_at' as const, descending }, limit: 26 },
        sorts: false,
      })),
      ...[{}, { finishedAfter: t(1) }, { status: 'failed' as const }, { eventId }].map(
        (filter) => ({
          name: `of an ${of}: ${Object.keys(filter).join('') || 'all'} by end`,
          query: {
            ...scope,
            ...filter,
            order: { by: 'finished_at' as const, descending },
            limit: 26,
          },
          sorts: 'eventId' in filter,
        }),
      ),
    ]),
  )
  .flatMap((one) => {
    const direction = one.query.order.descending ? 'descending' : 'ascending';
    const after = [t(2), id] as const;
    return [
      { ...one, name: `${one.name}, ${direction}` },
      { ...one, name: `${one.name}, ${direction}, further`, query: { ...one.query, after } },
    ];
  });
