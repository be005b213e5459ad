import { postingName } from '@refledger/domain';
import { payoutRunsName } from './runs/payout-runs.js';

/** The names of the ledger's event processors. */
export const ledgerProcessors = [postingName, payoutRunsName] as const;
