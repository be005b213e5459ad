import type { PublicAggregateKind } from '@refledger/contracts';
import { adjustmentAggregate } from './adjustment/adjustment.aggregate.js';
import { affiliateAggregate } from './affiliate/affiliate.aggregate.js';
import { conversionAggregate } from './conversion/conversion.aggregate.js';
import { payoutAggregate } from './payout/payout.aggregate.js';
import { payoutRunAggregate } from './payout-run/payout-run.aggregate.js';
import { programAggregate } from './program/program.aggregate.js';
import { webhookEndpointsAggregate } from './webhook-endpoints/webhook-endpoints.aggregate.js';
import type { RecordFold } from './record-fold.js';

/** The behavior of every public aggregate: how its events make its record. */
export const emptyFolds: { readonly [A in PublicAggregateKind]: RecordFold<A> } = {
  affiliate: affiliateAggregate,
  program: programAggregate,
  conversion: conversionAggregate,
  adjustment: adjustmentAggregate,
  payout: payoutAggregate,
  payout_run: payoutRunAggregate,
  webhooks: webhookEndpointsAggregate,
};
