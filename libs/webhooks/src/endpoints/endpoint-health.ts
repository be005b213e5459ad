import type { AccountId, EndpointId } from '@refledger/contracts';
import type { ProcessorLogger } from '@refledger/event-log';
import { isFailure, type Attempt } from '../stores/delivery.js';
import type { PlannedDelivery } from '../stores/delivery-store.js';

/**
 * Logs once when attempts to an endpoint begin to fail, and once when they succeed again, rather
 * than for each attempt.
 */
export class EndpointHealth {
  private readonly failing = new Map<EndpointId, number>();

  constructor(private readonly logger: ProcessorLogger) {}

  /** Records an attempt that has ended. */
  note(
    { endpointId, accountId }: Pick<PlannedDelivery, 'endpointId' | 'accountId'>,
    attempt: Pick<Attempt, 'outcome' | 'status' | 'error'>,
  ): void {
    const failures = this.failing.get(endpointId) ?? 0;
    if (isFailure(attempt.outcome)) {
      if (failures === 0)
        this.logger.warn(
          { ...about(endpointId, accountId), status: attempt.status, error: attempt.error },
          `webhooks to ${endpointId} are failing: ${attempt.error ?? `the response was ${attempt.status}`}`,
        );
      this.failing.set(endpointId, failures + 1);
    }
    if (attempt.outcome !== 'succeeded' || failures === 0) return;
    this.failing.delete(endpointId);
    this.logger.info(
      { ...about(endpointId, accountId), failures },
      `webhooks to ${endpointId} are succeeding again, after ${failures} failed attempts`,
    );
  }

  /** Drops the state of an endpoint that was unsubscribed. */
  forget(endpoint: EndpointId): void {
    this.failing.delete(endpoint);
  }
}

const about = (endpoint: EndpointId, account_id: AccountId) => ({ endpoint, account_id });
