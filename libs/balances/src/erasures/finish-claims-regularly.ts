import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessorLogger } from '@refledger/event-log';
import { finishClaims, type UnfinishedClaimsParts } from './unfinished-claims.js';

export interface RegularClaimsOptions extends UnfinishedClaimsParts {
  /** The event processor in whose name it is done, in log lines. */
  readonly processor: string;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
  /** The time between two looks at unfinished claims, in milliseconds; default 10 minutes. */
  readonly claimsEveryMs?: number | undefined;
  /** Whether another ledger does it now. */
  readonly isStandingBy: () => boolean;
}

/**
 * Finishes claims that a crash has left, now and then again and again, until the signal aborts. Never
 * rejects: a failure is logged.
 */
export const finishClaimsRegularly = async (
  { processor, logger, claimsEveryMs = 600_000, isStandingBy, ...parts }: RegularClaimsOptions,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      if (!isStandingBy()) await finishClaims(parts, signal);
    } catch (error) {
      logger.warn(
        { err: error, processor },
        'claims of keys could not be looked at; trying again later',
      );
    }
    await sleep(claimsEveryMs, undefined, { signal }).catch(() => undefined);
  }
};
