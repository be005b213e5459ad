import type { ProcessorLogger } from '@refledger/event-log';
import { dispatcherName } from './dispatcher-name.js';

/** Warns of what failed and is tried again. */
export class RetryLog {
  constructor(private readonly logger: Pick<ProcessorLogger, 'warn'>) {}

  failed(what: string, error: unknown): void {
    this.logger.warn({ err: error }, `${dispatcherName}: ${what} failed; trying again`);
  }
}
