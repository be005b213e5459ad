import { openWithRetry, abortableSleep, type EventLog } from '@refledger/event-log';
import type { Logger, PartHealth } from '@refledger/platform';
import { dispatcherName, unreadableEndpoints, type SecretBox } from '@refledger/webhooks';

export interface SecretsToRead {
  readonly log: Pick<EventLog, 'readAll'>;
  readonly box: SecretBox;
  readonly logger: Logger;
  readonly report: (health: PartHealth) => void;
  readonly signal: AbortSignal;
}

/**
 * Holds back the webhook-dispatcher, but nothing else, while a key is missing under which
 * endpoints' secrets are sealed: their deliveries would fail until their attempts are used up.
 * Resolves to true once the key of every secret is there, or to false when the signal aborts first.
 * Retries while the log is unavailable.
 */
export const secretsReadable = async ({
  log,
  box,
  logger,
  report,
  signal,
}: SecretsToRead): Promise<boolean> => {
  const onWait = (error: Error, waitMs: number): void => {
    logger.warn(
      { processor: dispatcherName, wait_ms: waitMs, err: error },
      "the endpoints' secrets can't be looked at: trying again",
    );
    report({ part: dispatcherName, ready: false, detail: `waiting: ${error.message}` });
  };
  for (let said = false; !signal.aborted; said = true) {
    const unreadable = await openWithRetry(() => unreadableEndpoints(log, box), {
      onWait,
      signal,
    }).catch(unlessEnding(signal));
    if (unreadable === undefined) return false;
    const { size } = unreadable;
    if (size === 0) return true;
    const detail = `the secrets of ${size} webhook endpoints are sealed under a key that is not here: start with the key that was there (SECRETS_KEY takes several), or subscribe them again with a new secret`;
    if (!said) logger.error({ processor: dispatcherName }, `nothing is sent: ${detail}`);
    report({ part: dispatcherName, ready: false, detail });
    await abortableSleep(lookAgainMs, signal);
  }
  return false;
};

const lookAgainMs = 1_000;

const unlessEnding =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    if (!signal.aborted) throw error;
  };
