/** The role that posts, opens chapters and follows payouts: the actor of its events. */
export const ledgerName = 'ledger';
