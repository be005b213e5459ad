import { relayName } from '@refledger/event-bus';
import { sendsNothing, type Health, type Logger, type Metrics } from '@refledger/platform';

/** Where the relay reports that it sends nothing. */
interface Reports {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'processorSendsNothing'>;
  readonly health: Health;
}

/**
 * Takes the place of the relay while OUTGOING is off. It connects to nothing: the brokers may be
 * those of the original, whose relay would be fenced.
 */
export const relayNothing = (reason: string, { logger, metrics, health }: Reports) => {
  const detail = sendsNothing(reason);
  logger.warn(`the ${relayName} ${detail}`);
  health.report({ part: relayName, ready: true, detail });
  metrics.processorSendsNothing.set({ processor: relayName }, 1);
  return { close: () => Promise.resolve() };
};
