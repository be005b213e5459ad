import { day, waitFor } from '@refledger/testing';

/**
 * Waits for the next day (UTC) if the current one is over within a minute. For tests that see a
 * single day: what is payable tomorrow is payable today once tomorrow has started.
 */
export const awayFromMidnight = async (): Promise<void> => {
  await waitFor(() => day - (Date.now() % day) > 60_000, { timeoutMs: 70_000, intervalMs: 100 });
};
