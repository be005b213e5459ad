import { derivedId, DomainError, newId, type DeliveryId } from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import type { Delivery, RedeliveryKey, RequestedDelivery } from '@refledger/delivery-store';
import type { Deliveries } from './deliveries.js';
import { requireDelivery, type DeliveryRead } from './delivery-reads.js';
import type { EndpointReads } from './endpoint-reads.js';

/** A request to send a delivery again. */
interface RedeliveryRequest extends DeliveryRead {
  readonly idempotencyKey: string | undefined;
}

/** The delivery that a request to redeliver made, made due, or found. */
interface RedeliveryResult {
  readonly delivery: Delivery;
  /** Whether an earlier request with the same `Idempotency-Key` was answered with it. */
  readonly isRepeated: boolean;
}

type Endpoint = Awaited<ReturnType<EndpointReads['get']>>;

/**
 * Sends events of deliveries again: with the same bytes, since these are stored. A dispatcher sends
 * what is stored here, like any delivery.
 */
export class Redeliveries {
  constructor(
    private readonly deliveries: Pick<Deliveries, 'read' | 'write'>,
    private readonly endpoints: Pick<EndpointReads, 'get'>,
    private readonly commands: Pick<CommandHandler, 'instant'>,
  ) {}

  /**
   * Makes a delivery of the same event. If the named delivery has not ended, makes no new one but,
   * if that one is waiting, makes it due at once. Throws `not_found` if there is no such delivery
   * or its endpoint was deleted, `invalid_transition` for a test, and `idempotency_key_reused`.
   */
  async redeliver(request: RedeliveryRequest): Promise<RedeliveryResult> {
    const endpoint = await this.endpoints.get(request);
    const key = keyOf(request);
    // another request with the same key may be faster, and the delivery may end meanwhile
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const earlier = key && (await this.earlier(key, request));
      if (earlier !== undefined) return { delivery: earlier, isRepeated: true };
      const original = await this.original(request);
      const made = original.finishedAt === null ? undefined : again(original, key, endpoint);
      const now = this.commands.instant();
      const isDone = await this.deliveries.write((store) =>
        made === undefined ? store.makeDue(original.id, now, key) : store.request(made, now, key),
      );
      const { id } = made ?? original;
      if (isDone) return { delivery: await this.get(id, request), isRepeated: false };
    }
    throw new DomainError(
      'unavailable',
      'The delivery keeps changing. Nothing was done; try again.',
    );
  }

  /** What an earlier request with this key was answered with; undefined if there was none. */
  private async earlier(
    { id, original }: RedeliveryKey,
    request: RedeliveryRequest,
  ): Promise<Delivery | undefined> {
    const used = await this.deliveries.read((reader) => reader.answeredKey(id));
    if (used === undefined) return undefined;
    // the original may have been removed since
    if (used.original === original) return this.get(used.answered, request);
    await this.original(request);
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used to send another delivery again. Use a new key.',
    );
  }

  /** The delivery that the request names. */
  private async original(request: RedeliveryRequest): Promise<Delivery> {
    const original = await this.get(request.ids.delivery_id, request);
    if (original.trigger === 'test')
      throw new DomainError(
        'invalid_transition',
        'This delivery is a test, whose event never happened. Send another test instead.',
      );
    return original;
  }

  private get(id: DeliveryId, request: RedeliveryRequest): Promise<Delivery> {
    return this.deliveries.read(async (reader) =>
      requireDelivery(id, await reader.get(id), request),
    );
  }
}

const maxAttempts = 5;

/** A new delivery of the same event. */
const again = (
  original: Delivery,
  key: RedeliveryKey | undefined,
  { endpoint, position }: Endpoint,
): RequestedDelivery => {
  const { accountId, endpointId, body, payload, eventId, eventType, objectId } = original;
  return {
    id: key?.id ?? newId('delivery'),
    accountId,
    endpointId,
    eventId,
    eventType,
    objectId,
    trigger: 'redeliver',
    position: original.position,
    // the position up to which the endpoint is known
    decidedAt: position ?? original.decidedAt,
    payload,
    body,
    status: endpoint.status === 'enabled' ? 'waiting' : 'held',
    reason: null,
  };
};

const keyOf = ({ caller, ids, idempotencyKey }: RedeliveryRequest): RedeliveryKey | undefined =>
  idempotencyKey === undefined
    ? undefined
    : {
        id: derivedId('delivery', caller.accountId, 'idempotency_key', idempotencyKey),
        original: ids.delivery_id,
      };
