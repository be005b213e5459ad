import {
  validationError,
  type DeliveryId,
  type DeliveryRecord,
  type DeliveryWithAttempts,
  type DomainError,
  type EndpointId,
} from '@refledger/contracts';
import type {
  Delivery,
  DeliveryPage,
  DeliveryQuery,
  DeliverySummary,
  OpenDeliveryReader,
} from '@refledger/delivery-store';
import type { RecordRead } from '../history/record-queries.js';
import { notFound } from '../own-record.js';
import type { ReadContext } from '../read-models.js';
import type { Deliveries } from './deliveries.js';
import type { ShownDeliveryTexts } from './shown-delivery-texts.js';
import { deliveryRecord, deliveryWithAttempts } from './delivery-records.js';
import type { EndpointReads } from './endpoint-reads.js';

/** A request about a delivery of an endpoint. */
export interface DeliveryRead extends RecordRead<EndpointId> {
  readonly ids: { readonly delivery_id: DeliveryId };
}

interface ListedDeliveries extends Pick<DeliveryPage, 'next'> {
  readonly records: readonly DeliveryRecord[];
}

/** Reads deliveries, as they are stored at the time: a read waits for no write of deliveries. */
export class DeliveryReads {
  constructor(
    private readonly deliveries: Pick<Deliveries, 'read'>,
    private readonly endpoints: Pick<EndpointReads, 'get' | 'hasExisted'>,
    private readonly texts: Pick<ShownDeliveryTexts, 'open'>,
  ) {}

  /** One page of a list of the caller's deliveries. */
  list(query: DeliveryQuery): Promise<ListedDeliveries> {
    return this.deliveries.read(async (reader) => {
      const { deliveries, next } = await reader.find(query);
      const recoveries = await recoveriesOf(reader, deliveries);
      return { records: deliveries.map((each, n) => deliveryRecord(each, recoveries[n])), next };
    });
  }

  /**
   * Like `list`: deliveries outlive their endpoint. Throws `validation_failed` if the query names an
   * endpoint that the caller has never had.
   */
  async listOfAccount(read: ReadContext, query: DeliveryQuery): Promise<ListedDeliveries> {
    const page = await this.list(query);
    const { endpointId } = query;
    // an endpoint with deliveries exists or has existed
    if (page.records.length > 0 || endpointId === undefined) return page;
    if (!(await this.endpoints.hasExisted({ ...read, id: endpointId })))
      throw neverExisted(endpointId);
    return page;
  }

  /**
   * A delivery of an endpoint. Throws `not_found` if the caller does not have the endpoint, or it has
   * no such delivery, and `unavailable` if its texts do not open.
   */
  async get(read: DeliveryRead): Promise<DeliveryWithAttempts> {
    const { delivery_id } = read.ids;
    await this.endpoints.get(read);
    const { delivery, recovery } = await this.deliveries.read(async (reader) => {
      const found = requireDelivery(delivery_id, await reader.get(delivery_id), read);
      return { delivery: found, recovery: (await recoveriesOf(reader, [found]))[0] };
    });
    return this.shown(delivery, recovery);
  }

  /** A delivery on its own as the API shows it. Throws `unavailable` if its texts do not open. */
  async shown(delivery: Delivery, recoveredBy?: DeliveryId): Promise<DeliveryWithAttempts> {
    return deliveryWithAttempts(delivery, await this.texts.open(delivery), recoveredBy);
  }
}

/**
 * The delivery. Throws `not_found` if there is none, or if it is another account's or endpoint's.
 */
export const requireDelivery = (
  id: DeliveryId,
  delivery: Delivery | undefined,
  of: RecordRead<EndpointId>,
): Delivery => {
  if (delivery?.accountId !== of.caller.accountId || delivery.endpointId !== of.id)
    throw notFound('delivery', id);
  return delivery;
};

/**
 * For each of these deliveries, a later one of the same event that succeeded. Only what has failed
 * or was canceled can be recovered.
 */
const recoveriesOf = async (
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

const neverExisted = (id: string): DomainError =>
  validationError({
    path: 'endpoint_id',
    code: 'not_found',
    message: `endpoint_id is ${id}, but this account has never had that endpoint. Check the id.`,
  });
