import { postingName } from '@refledger/domain';
import { payoutRunsName } from './runs/payout-runs.js';
import { paidTrailName } from './trail/paid-trail.js';

/** The names of the ledger's event processors, in the order in which health lists them. */
export const ledgerParts: readonly string[] = [postingName, payoutRunsName, paidTrailName];
