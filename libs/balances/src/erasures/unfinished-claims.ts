import { isId, isStreamName, streams, toInstant } from '@refledger/contracts';
import { Claims, CommandHandler } from '@refledger/application';
import { affiliateDecider, emailClaimDecider } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import type { KeyRow, KeyStore } from '@refledger/key-store';

export interface UnfinishedClaimsParts {
  readonly log: EventLog;
  readonly keys: Pick<KeyStore, 'scanClaimed' | 'forgetClaims'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Meets the claims of keys that are older than an hour and whose affiliate does not exist yet. A
 * crash may have left a claim whose append was not made: then nobody could erase the affiliate, but
 * another command could still create it. Each key is looked at once per put. Stops between two keys
 * when the signal aborts. A failure leaves its key for the next time, and is thrown at the end.
 */
export const finishClaims = async (
  { log, keys, now }: UnfinishedClaimsParts,
  signal: AbortSignal,
): Promise<void> => {
  const commands = new CommandHandler(log, { now });
  const claims = new Claims(commands, emailClaimDecider);
  const failures: unknown[] = [];
  const finish = async (row: KeyRow): Promise<void> => {
    if (!(await exists(commands, row)))
      for (const claim of row.claims.filter(isStreamName)) await claims.loadAndComplete(claim);
    if (row.putAt !== null) await keys.forgetClaims(row.owner, row.claims, row.putAt);
  };
  for await (const rows of keys.scanClaimed(toInstant(now() - hourMs)))
    for (const row of rows) {
      if (signal.aborted) return;
      await finish(row).catch((error: unknown) => failures.push(error));
    }
  if (failures.length > 0) throw failures[0];
};

const exists = async (commands: CommandHandler, { owner }: KeyRow): Promise<boolean> => {
  if (!isId('affiliate', owner)) return true;
  const { revision } = await commands.load(affiliateDecider, streams.affiliate(owner));
  return revision !== undefined;
};

const hourMs = 3_600_000;
