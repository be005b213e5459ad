import { postingName } from '@refledger/domain';
import { erasuresName } from './erasures/erasure-processor.js';
import { payoutRunsName } from './runs/payout-runs.js';
import { paidStatusName } from './paid-status/paid-status.js';

/** The names of the ledger's event processors, in the order in which health lists them. */
export const ledgerParts: readonly string[] = [
  postingName,
  payoutRunsName,
  paidStatusName,
  erasuresName,
];
