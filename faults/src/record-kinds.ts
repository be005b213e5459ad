import { eventKinds } from '@refledger/contracts';

/**
 * The kinds of the events that the writers cause on purpose. Programs are created along the way, by
 * their first affiliate.
 */
export const recordKinds = eventKinds.filter((kind) => /^(affiliate|conversion)\./.test(kind));
