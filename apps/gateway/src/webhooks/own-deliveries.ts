import type { AccountId, DeliveryId, EndpointId } from '@refledger/contracts';
import type { Delivery, DeliverySummary, OpenDeliveryReader } from '@refledger/delivery-store';
import { notFound } from '@refledger/queries';

/**
 * The delivery. Throws `not_found` if there is none, or if it is another account's or endpoint's.
 */
export const requireDelivery = (
  delivery: Delivery | undefined,
  of: {
    readonly id: DeliveryId;
    readonly accountId: AccountId;
    readonly endpointId: EndpointId;
  },
): Delivery => {
  if (delivery?.accountId !== of.accountId || delivery.endpointId !== of.endpointId)
    throw notFound('delivery', of.id);
  return delivery;
};

/**
 * For each of these deliveries, a later one of the same event that succeeded. Only what has failed
 * or was canceled can be recovered.
 */
export const recoveriesOf = async (
  reader: Pick<OpenDeliveryReader, 'recoveries'>,
  deliveries: readonly DeliverySummary[],
): Promise<readonly (DeliveryId | undefined)[]> => {
  const lost = deliveries.filter(({ status }) => status === 'failed' || status === 'canceled');
  if (lost.length === 0) return [];
  const recoveries = await reader.recoveries(
    lost.map(({ eventId, endpointId, createdAt }) => ({ eventId, endpointId, createdAt })),
  );
  return deliveries.map((delivery) => recoveries[lost.indexOf(delivery)]);
};
