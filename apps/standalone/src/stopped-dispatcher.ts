import type { Logger, Metrics, PartHealth } from '@refledger/platform';
import { dispatcherName } from '@refledger/webhook-endpoints';
import type { DeliveryStoreError } from '@refledger/delivery-store';

/** Where the stopped webhook-dispatcher is reported. */
interface Reports {
  readonly metrics: Pick<Metrics, 'processorStopped'>;
  readonly logger: Logger;
  readonly report: (health: PartHealth) => void;
}

/**
 * Takes the place of the webhook-dispatcher while its store is damaged: everything else works. The
 * store is left as it is, until an operator replaces it and starts the service again.
 */
export const stoppedDispatcher = (
  { message }: DeliveryStoreError,
  { metrics, logger, report }: Reports,
) => {
  const processor = dispatcherName;
  metrics.processorStopped.set({ processor }, 1);
  report({ part: processor, ready: false, detail: `stopped: ${message}` });
  logger.error({ processor }, `the ${processor} has stopped: ${message}`);
  return { measure: () => undefined, close: () => Promise.resolve() };
};
