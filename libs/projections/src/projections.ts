import { streams } from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';
import { loadStream, type EventLog } from '@refledger/event-log';
import { accountsProjection } from './accounts.projection.js';
import { apiKeysProjection } from './api-keys.projection.js';
import { adjustmentsProjection } from './adjustments.projection.js';
import {
  affiliateSearch,
  affiliateSearchProjection,
  type MakeTerms,
} from './affiliate-search.projection.js';
import { affiliateStatsProjection } from './affiliate-stats.projection.js';
import { affiliatesProjection } from './affiliates.projection.js';
import { balancesProjection } from './balances.projection.js';
import { conversionsProjection } from './conversions.projection.js';
import { entriesProjection } from './entries.projection.js';
import { affiliateErasuresProjection } from './affiliate-erasures.projection.js';
import { eventsProjection } from './events.projection.js';
import { payoutRangesProjection } from './payout-ranges.projection.js';
import { payoutRunsProjection } from './payout-runs.projection.js';
import { payoutsProjection } from './payouts.projection.js';
import { programsProjection } from './programs.projection.js';
import { minuteIndexProjection } from './minute-index.projection.js';
import type { Projection } from './projection.js';
import { statementsProjection } from './statements.projection.js';
import { statementTotalsProjection } from './statement-totals.projection.js';
import { webhookEndpointsProjection } from './webhook-endpoints.projection.js';

/** The read models that need no key. */
export const projections: readonly Projection[] = [
  accountsProjection,
  programsProjection,
  affiliatesProjection,
  conversionsProjection,
  adjustmentsProjection,
  affiliateStatsProjection,
  balancesProjection,
  entriesProjection,
  statementsProjection,
  statementTotalsProjection,
  payoutsProjection,
  payoutRangesProjection,
  payoutRunsProjection,
  webhookEndpointsProjection,
  apiKeysProjection,
  affiliateErasuresProjection,
  minuteIndexProjection,
  eventsProjection,
];

/**
 * All read models of the service, folded from this log. `affiliate_search` opens personal values for
 * its terms.
 */
export const allProjections = (makeTerms: MakeTerms, log: EventLog): readonly Projection[] => [
  ...projections,
  affiliateSearchProjection({
    makeTerms,
    isDeleted: async (id) => {
      const { state } = await loadStream(log, affiliateDecider, streams.affiliate(id));
      return state.kind === 'deleted' || state.kind === 'erased';
    },
  }),
];

/** The names of all read models. */
export const projectionNames: readonly string[] = [...projections, affiliateSearch].map(
  ({ name }) => name,
);
