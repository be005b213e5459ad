import type { PublicAggregateSpec } from '../shared/aggregate.js';
import { adjustment } from '../adjustments/adjustment.events.js';
import { affiliate } from '../affiliates/affiliate.events.js';
import { conversion } from '../conversions/conversion.events.js';
import { payout } from '../payouts/payout.events.js';
import { payoutRun } from '../payout-runs/payout-run.events.js';
import { program } from '../programs/program.events.js';

/** Every public aggregate with one stream per record, by kind. */
export const ownStreamAggregates = {
  affiliate,
  program,
  conversion,
  adjustment,
  payout,
  payout_run: payoutRun,
} as const satisfies Readonly<Record<string, PublicAggregateSpec>>;

export type OwnStreamKind = keyof typeof ownStreamAggregates;
