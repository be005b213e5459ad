import type { z } from 'zod';
import type { AccountId } from '../ids/ids.js';
import type { SealedAffiliateRecord } from '../affiliates/affiliate.events.js';
import type { PublicAggregateSpec } from '../shared/aggregate.js';
import { ownStreamAggregates } from '../event-types/own-stream-aggregates.js';
import { webhookEndpoints } from '../webhooks/webhook-endpoint.events.js';

/**
 * Every aggregate with public events, by kind. Webhooks and the event bus list them in this order.
 */
export const publicAggregates = {
  ...ownStreamAggregates,
  webhooks: webhookEndpoints,
} as const satisfies Readonly<Record<string, PublicAggregateSpec>>;

export type PublicAggregateKind = keyof typeof publicAggregates;

/** The record of a public aggregate, as the API shows it. */
export type RecordOf<A extends PublicAggregateKind> = z.infer<
  (typeof publicAggregates)[A]['record']
>;
export type PublicRecord = RecordOf<PublicAggregateKind>;

/** The record of a public aggregate as it is stored: the personal values in it are sealed. */
export type StoredRecordOf<A extends PublicAggregateKind> = A extends 'affiliate'
  ? SealedAffiliateRecord
  : RecordOf<A>;
export type StoredRecord = StoredRecordOf<PublicAggregateKind>;

/** Returns the key that orders a record of an account among others of its topic. */
export const partitionKeyOf = (record: StoredRecord, account: AccountId): string =>
  // its aggregate has another name, since all endpoints of an account share a stream
  record.object === 'webhook_endpoint'
    ? keyOf('webhooks', record, account)
    : keyOf(record.object, record, account);

const keyOf = <A extends PublicAggregateKind>(
  kind: A,
  record: StoredRecordOf<A>,
  account: AccountId,
): string => keyed[kind].partitionKey(record, account);

const keyed: {
  readonly [A in PublicAggregateKind]: {
    partitionKey: (record: StoredRecordOf<A>, account: AccountId) => string;
  };
} = publicAggregates;
