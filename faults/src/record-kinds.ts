import { publicEventTypes } from '@refledger/contracts';

/**
 * The kinds of the public events that the writers cause. The programs are created beforehand, and
 * do not change.
 */
export const recordKinds = publicEventTypes.filter((kind) =>
  /^(affiliate|conversion|adjustment|payout|payout_run)\./.test(kind),
);
