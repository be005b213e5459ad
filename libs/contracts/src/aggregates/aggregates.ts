import { account } from '../accounts/account.events.js';
import type { AggregateSpec, EventInputsOf, EventsOf } from '../shared/aggregate.js';
import { apiKeys } from '../accounts/api-keys.events.js';
import { balance } from '../balances/balance.events.js';
import { customer } from './customer.js';
import { emailClaim } from './email-claim.js';
import { log } from './log.js';
import { processor } from './processor.js';
import { publicAggregates } from './public-aggregates.js';

/** Every aggregate, by kind. */
export const aggregates = {
  ...publicAggregates,
  claim: emailClaim,
  customer,
  balance,
  account,
  keys: apiKeys,
  processor,
  log,
} as const satisfies Readonly<Record<string, AggregateSpec>>;

export type AggregateKind = keyof typeof aggregates;
/** An event of an aggregate: `{ type, data }`. */
export type EventOf<A extends AggregateKind> = EventsOf<(typeof aggregates)[A]['events']>;
/** Like `EventOf`, but a field with a default may be absent. */
export type EventInputOf<A extends AggregateKind> = EventInputsOf<(typeof aggregates)[A]['events']>;
