import type { z } from 'zod';
import type { PublicAggregateSpec } from './aggregate.js';
import { adjustment } from './adjustment.js';
import type { AccountId } from '../ids/ids.js';
import { affiliate } from './affiliate.js';
import { conversion } from './conversion.js';
import { payout } from './payout.js';
import { payoutRun } from './payout-run.js';
import { program } from './program.js';

/**
 * Every aggregate with public events, by kind. Webhooks and the event bus list them in this order.
 */
export const publicAggregates = {
  affiliate,
  program,
  conversion,
  adjustment,
  payout,
  payout_run: payoutRun,
} as const satisfies Readonly<Record<string, PublicAggregateSpec>>;

export type PublicAggregateKind = keyof typeof publicAggregates;

/** The record of a public aggregate, as the API shows it. */
export type RecordOf<A extends PublicAggregateKind> = z.infer<
  (typeof publicAggregates)[A]['record']
>;
export type PublicRecord = RecordOf<PublicAggregateKind>;

/** Returns the key that orders a record of an account among others of its topic. */
export const partitionKeyOf = (record: PublicRecord, account: AccountId): string =>
  keyOf(record.object, record, account);

const keyOf = <A extends PublicAggregateKind>(
  kind: A,
  record: RecordOf<A>,
  account: AccountId,
): string => keyed[kind].partitionKey(record, account);

const keyed: {
  readonly [A in PublicAggregateKind]: {
    partitionKey: (record: RecordOf<A>, account: AccountId) => string;
  };
} = publicAggregates;
