import { waitFor } from '@refledger/testing';

/**
 * Waits until the machine's clock is past the creation of a record, so that the next one is created
 * later: lists order records of the same millisecond by their ids.
 */
export const millisecondAfter = async ({ created_at }: { readonly created_at: string }) => {
  await waitFor(() => Date.now() > Date.parse(created_at), { intervalMs: 1 });
};
