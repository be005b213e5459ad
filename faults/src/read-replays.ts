import { eventually, type Page, type Replay } from '@refledger/testing';
import type { Client } from './client.js';
import type { History } from './history.js';

/**
 * Reads the replays to the endpoints that exist at the end, once they have finished and counted all
 * of their deliveries. Gives up after a minute; the comparison then reports those that have not.
 */
export const readReplays = async (
  client: Client,
  { endpoints }: Pick<History, 'endpoints'>,
): Promise<readonly Replay[]> => {
  let replays: readonly Replay[] = [];
  const poll = async (): Promise<void> => {
    replays = (await Promise.all([...endpoints.keys()].map((id) => replaysTo(client, id)))).flat();
    const isOpen = ({ status, planned, succeeded, failed }: Replay): boolean =>
      status === 'running' || planned > succeeded + failed;
    if (replays.some(isOpen)) throw new Error('not yet');
  };
  await eventually(poll, { timeoutMs: 60_000, intervalMs: 250 }).catch(() => undefined);
  return replays;
};

const replaysTo = async (client: Client, endpoint: string): Promise<readonly Replay[]> => {
  const all: Replay[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { readonly body: Page<Replay> } = await client.get(
      `/v1/webhooks/${endpoint}/replays?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    all.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return all;
};
