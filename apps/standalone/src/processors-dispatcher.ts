import {
  version,
  type Config,
  type Logger,
  type Metrics,
  type PartHealth,
} from '@refledger/platform';
import { secretsReadable, startWebhookDispatcher } from '@refledger/webhook-dispatcher';
import { soleHolder, type SecretBox } from '@refledger/webhooks';
import { openSender } from '@refledger/webhooks/sender';
import type { ProcessorsConnections } from './processors-connections.js';

interface ProcessorsDispatcherOptions {
  readonly settings: Config['webhooks'];
  readonly connections: ProcessorsConnections;
  readonly secretBox: SecretBox;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly report: (health: PartHealth) => void;
}

/**
 * Runs the webhook-dispatcher of the processors' thread. It starts once every secret can be read.
 * Closing it leaves the connections open.
 */
export const openProcessorsDispatcher = ({
  settings: { privateTargets, retrySchedule, timeoutMs, retentionMs },
  connections: { log, bus, deliveryStore },
  secretBox,
  logger,
  metrics,
  report,
}: ProcessorsDispatcherOptions): { close(): Promise<void> } => {
  const ending = new AbortController();
  const sender = openSender({ mode: privateTargets });
  const start = () =>
    startWebhookDispatcher({
      log,
      bus,
      store: deliveryStore,
      sender,
      secretBox,
      schedule: retrySchedule,
      timeoutMs,
      retentionMs,
      version,
      logger,
      metrics,
      // This process has the folder's lock, so it owns the deliveries that an earlier process left
      // with the status `sending`.
      holder: soleHolder,
      report,
    });
  const running = secretsReadable({
    log,
    box: secretBox,
    logger,
    report,
    signal: ending.signal,
  }).then((readable) => (readable ? start() : undefined));
  return {
    close: async () => {
      ending.abort();
      await (await running)?.close();
      await sender.close();
    },
  };
};
