import type { ResponseExcerpt } from '@refledger/contracts';
import type { Delivery } from '@refledger/delivery-store';
import type { DeliveryTexts } from '@refledger/personal-data';

/** The texts of a delivery as the API shows them. */
export interface OpenTexts {
  readonly body: string | null;
  /** The responses to its attempts, in their order; null where there is none to show. */
  readonly responses: readonly (ResponseExcerpt | null)[];
}

/** What names the event of a delivery, and what its endpoint wanted of the record. */
export type RemadeDelivery = Pick<Delivery, 'id' | 'eventId' | 'position' | 'payload'>;

/** Makes the body of a delivery from the log; null if its event was skipped. */
export interface BodySource {
  make(delivery: RemadeDelivery): Promise<string | null>;
}

/** Opens the texts of a delivery to show them. */
export class ShownDeliveryTexts {
  constructor(
    private readonly texts: Pick<DeliveryTexts, 'keyOf'>,
    private readonly bodies: BodySource,
  ) {}

  /**
   * Nothing is shown of a delivery without attempts. A body that no longer opens, because the
   * affiliate was erased, is made from the log. Throws `unavailable` if the texts do not open.
   */
  async open(delivery: Delivery): Promise<OpenTexts> {
    const { attemptCount, body, attempts } = delivery;
    if (attemptCount === 0) return { body: null, responses: [] };
    const key = await this.texts.keyOf(delivery);
    return {
      body: key.isErased ? await this.bodies.make(delivery) : key.openBody(body),
      responses: await Promise.all(
        attempts.map(({ sealedResponse }) =>
          sealedResponse === null ? Promise.resolve(null) : key.openResponse(sealedResponse),
        ),
      ),
    };
  }
}
