import type { ResponseExcerpt } from '@refledger/contracts';
import type { ClaimedDelivery } from '@refledger/delivery-store';
import { messageOf, type ProcessorLogger } from '@refledger/event-log';
import type { DeliveryKey, DeliveryTexts } from '@refledger/personal-data';
import { dispatcherName, type BodyMaker } from '@refledger/webhook-endpoints';
import type { BlockedWork } from '../blocked-work.js';

export interface DeliveryOpenerOptions {
  readonly texts: Pick<DeliveryTexts, 'keyOf'>;
  readonly bodies: Pick<BodyMaker, 'make'>;
  readonly blockedWork: Pick<BlockedWork, 'add' | 'end'>;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
}

/** A delivery that can be sent. Keep it no longer than its attempt takes. */
export interface OpenDelivery {
  /** The bytes to send. */
  readonly body: string;
  /** The text to store of the response. Null if there is none to store, or it cannot be sealed. */
  readonly seal: (response: ResponseExcerpt | null) => Promise<string | null>;
}

/** Opens the body of a delivery for one attempt, and seals the response to it. */
export class DeliveryOpener {
  constructor(private readonly options: DeliveryOpenerOptions) {}

  /**
   * Makes a body that is not stored, or no longer opens because the affiliate was erased, from the
   * log. `skipped` if an operator skipped the event, and `unavailable`, with a warning, if a key or the
   * event cannot be read now. Never rejects.
   */
  async open(delivery: ClaimedDelivery): Promise<OpenDelivery | 'skipped' | 'unavailable'> {
    const { texts, bodies, blockedWork, logger } = this.options;
    const { id, endpointId: endpoint } = delivery;
    try {
      const key = await texts.keyOf(delivery);
      const body = key.openBody(delivery.body) ?? (await bodies.make(delivery));
      blockedWork.end(id);
      if (body === null) return 'skipped';
      return { body, seal: (response) => this.sealed(delivery, key, response) };
    } catch (error) {
      blockedWork.add(id, error);
      const about = { err: error, delivery: id, endpoint };
      logger.warn(about, `${dispatcherName}: opening the body of ${id} failed; retrying`);
      return 'unavailable';
    }
  }

  private async sealed(
    { id, endpointId: endpoint }: ClaimedDelivery,
    key: DeliveryKey,
    response: ResponseExcerpt | null,
  ): Promise<string | null> {
    if (response === null) return null;
    try {
      return await key.sealResponse(response);
    } catch (error) {
      const about = { err: error, delivery: id, endpoint };
      this.options.logger.warn(
        about,
        `${dispatcherName}: the response to ${id} is not stored. ${messageOf(error)}`,
      );
      return null;
    }
  }
}
