import type { Random } from '@refledger/testing';
import type { Client } from '../client.js';
import type { Intent, Outcome } from '../ledger.js';
import type { KnownRecords } from './known-records.js';

/** The tools of a writer. */
export interface Writing {
  readonly client: Client;
  readonly known: KnownRecords;
  readonly random: Random;
  /** The URL of the receiver at a path. */
  receiver(this: void, path: string): string;
}

/**
 * One action of a writer. Resolves to its outcome, or undefined when there was no record to act on.
 */
export type WriteAction = (writing: Writing) => Promise<Outcome | undefined>;

/**
 * Sends a create that has a name (transaction id or idempotency key), so that a repetition can
 * settle an unknown outcome later.
 */
export const create = async ({ client, known }: Writing, intent: Intent): Promise<Outcome> => {
  const { n, outcome } = await client.send(intent);
  if (outcome.report === 'unknown') {
    known.unsettled.push({ n: intent.retryOf ?? n, intent });
  } else if (outcome.report === 'acknowledged' && !outcome.replayed) {
    known.creates.push({ n, intent });
  }
  if (outcome.report === 'acknowledged' && outcome.record !== null) known.add(outcome.record);
  return outcome;
};

/** Does the same while no fault is injected. Throws if the service does not acknowledge it. */
export const createAtOnce = async (writing: Writing, intent: Intent): Promise<void> => {
  const outcome = await create(writing, intent);
  if (outcome.report !== 'acknowledged')
    throw new Error(`${intent.what} was not acknowledged: ${JSON.stringify(outcome)}`);
};
