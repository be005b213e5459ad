import type { ProcessorLogger } from '@refledger/event-log';
import { dispatcherName } from './dispatcher-name.js';

/** Logs a warning for each failure that will be retried. */
export class RetryLog {
  constructor(private readonly logger: Pick<ProcessorLogger, 'warn'>) {}

  failed(what: string, error: unknown): void {
    this.logger.warn({ err: error }, `${dispatcherName}: ${what} failed; trying again`);
  }
}
