import type { PublicAggregateSpec } from './aggregate.js';
import { adjustment } from './adjustment.js';
import { affiliate } from './affiliate.js';
import { conversion } from './conversion.js';
import { payout } from './payout.js';
import { payoutRun } from './payout-run.js';
import { program } from './program.js';

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
