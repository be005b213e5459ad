import { openWithRetry, abortableSleep, type EventLog } from '@refledger/event-log';
import type { Logger, PartHealth } from '@refledger/platform';
import type { SecretBox } from '@refledger/sealing';
import { dispatcherName, unreadableEndpoints } from '@refledger/webhook-endpoints';

export interface SecretsToRead {
  readonly log: Pick<EventLog, 'readAll' | 'availability'>;
  readonly box: SecretBox;
  readonly logger: Logger;
  readonly report: (health: PartHealth) => void;
  readonly signal: AbortSignal;
}

/**
 * Holds back the webhook-dispatcher, but nothing else, while a key that seals endpoints' secrets is
 * missing: deliveries to those endpoints would fail until their attempts are used up. Resolves to
 * true once the key of every secret is available, or to false when the signal aborts first. Retries
 * while the log is unavailable.
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
      "the endpoints' secrets cannot be read; retrying",
    );
    report({ part: dispatcherName, ready: false, detail: `waiting: ${error.message}` });
  };
  for (let isReported = false; !signal.aborted; isReported = true) {
    const unreadable = await openWithRetry(() => unreadableEndpoints(log, box), {
      onWait,
      log,
      signal,
    }).catch(rethrowUnlessAborted(signal));
    if (unreadable === undefined) return false;
    const { size } = unreadable;
    if (size === 0) return true;
    const detail = `SECRETS_KEY lacks the key that seals the secrets of ${size} webhook ${size === 1 ? 'endpoint' : 'endpoints'}. Start with that key too (SECRETS_KEY accepts several), or subscribe the endpoints again with new secrets`;
    if (!isReported) logger.error({ processor: dispatcherName }, `not sending webhooks: ${detail}`);
    report({ part: dispatcherName, ready: false, detail });
    await abortableSleep(recheckIntervalMs, signal);
  }
  return false;
};

const recheckIntervalMs = 1_000;

const rethrowUnlessAborted =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    if (!signal.aborted) throw error;
  };
