import type { Random } from '../random.js';
import type { Client } from '../client.js';
import type { Intent, Outcome } from '../ledger.js';
import type { Known } from './known.js';

/** What a writer works with. */
export interface Writing {
  readonly client: Client;
  readonly known: Known;
  readonly random: Random;
  /** The address of the receiver of a path. */
  receiver(this: void, path: string): string;
}

/** One thing that a writer does. Answers what came of it; undefined when there was nothing to do it with. */
export type Act = (writing: Writing) => Promise<Outcome | undefined>;

/** Sends a create that names itself (transaction id, idempotency key), so that an unknown outcome can be cleared up later. */
export const create = async ({ client, known }: Writing, intent: Intent): Promise<Outcome> => {
  const { n, outcome } = await client.send(intent);
  if (outcome.report === 'unknown') {
    known.unsettled.push({ n: intent.retryOf ?? n, intent });
  } else if (outcome.report === 'acknowledged' && !outcome.replayed) {
    known.creates.push({ n, intent });
  }
  if (outcome.report === 'acknowledged') {
    if (outcome.record?.object === 'conversion') known.conversions.push(outcome.record);
    if (outcome.record?.object === 'affiliate') known.affiliates.push(outcome.record);
  }
  return outcome;
};
