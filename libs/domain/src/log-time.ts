import type { EventMetadata } from '@refledger/contracts';

/**
 * Whether an event moves log time: the greatest `recorded_at` so far. Events that belong to no
 * account do not, nor does an event that kept the time of the event before it in its stream.
 */
export const movesLogTime = ({
  account_id,
  time_kept,
}: Pick<EventMetadata, 'account_id' | 'time_kept'>): boolean =>
  account_id !== null && time_kept !== true;
