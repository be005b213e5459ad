import {
  derivedId,
  DomainError,
  newId,
  type AccountId,
  type DeliveryId,
} from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import type { Delivery } from '@refledger/webhooks';
import type { Call } from '../http/request/call.js';
import { requireDelivery } from './own-deliveries.js';
import type { Deliveries } from './deliveries.js';
import type { EndpointReads } from './endpoint-reads.js';

/** The delivery that a request to redeliver made, or found. */
export interface Redelivered {
  readonly delivery: Delivery;
  /** Whether an earlier request with the same `Idempotency-Key` made it. */
  readonly isRepeated: boolean;
}

/**
 * Sends events of deliveries again: with the same bytes, since these are stored. A dispatcher sends
 * what is stored here, like any delivery.
 */
export class Redeliveries {
  constructor(
    private readonly deliveries: Deliveries,
    private readonly endpoints: EndpointReads,
    private readonly commands: Pick<CommandHandler, 'instant'>,
  ) {}

  /**
   * Makes a delivery of the same event. If the named delivery has not ended, makes no new one but,
   * if that one is waiting, makes it due at once. Throws `not_found` if there is no such delivery
   * or its endpoint was deleted, `invalid_transition` for a test, and `idempotency_key_reused`.
   */
  async redeliver(call: Call<'redeliver'>): Promise<Redelivered> {
    const { accountId } = call.caller;
    const { endpoint, position } = await this.endpoints.get(call);
    const id = idOf(accountId, call.idempotencyKey);
    const original = await this.get(call.ids.delivery_id, call);
    if (original.trigger === 'test')
      throw new DomainError(
        'invalid_transition',
        'This delivery is a test, whose event never happened. Send another test instead.',
      );
    const earlier = await this.earlier(id, original, call);
    if (earlier !== undefined) return { delivery: earlier, isRepeated: true };
    if (original.finishedAt === null) return this.madeDue(original);
    const { body, payload, eventId, eventType, objectId } = original;
    const delivery = {
      id,
      accountId,
      endpointId: call.id,
      eventId,
      eventType,
      objectId,
      trigger: 'redeliver' as const,
      position: original.position,
      // the position up to which the endpoint is known
      decidedAt: position ?? original.decidedAt,
      payload,
      body,
      status: endpoint.status === 'enabled' ? ('waiting' as const) : ('held' as const),
      reason: null,
    };
    const now = this.commands.instant();
    const isNew = await this.deliveries.write((store) => store.request(delivery, now));
    const same = isNew ? undefined : await this.earlier(id, original, call);
    return { delivery: same ?? (await this.get(id, call)), isRepeated: !isNew };
  }

  private async madeDue(delivery: Delivery): Promise<Redelivered> {
    const now = this.commands.instant();
    if (delivery.status === 'waiting')
      await this.deliveries.write((store) => store.makeDue(delivery.id, now));
    const after = await this.deliveries.read((reader) => reader.get(delivery.id));
    return { delivery: after ?? delivery, isRepeated: false };
  }

  /** What an earlier request with the same key made; undefined if there was none. */
  private async earlier(
    id: DeliveryId,
    { eventId, endpointId }: Delivery,
    { idempotencyKey }: Call<'redeliver'>,
  ): Promise<Delivery | undefined> {
    if (idempotencyKey === undefined) return undefined;
    const earlier = await this.deliveries.read((reader) => reader.get(id));
    if (earlier === undefined) return undefined;
    if (earlier.eventId === eventId && earlier.endpointId === endpointId) return earlier;
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key was already used for another event or another endpoint. Use a new key.',
    );
  }

  private get(id: DeliveryId, call: Call<'redeliver'>): Promise<Delivery> {
    const of = { id, accountId: call.caller.accountId, endpointId: call.id };
    return this.deliveries.read(async (reader) => requireDelivery(await reader.get(id), of));
  }
}

const idOf = (account: AccountId, key: string | undefined): DeliveryId =>
  key === undefined ? newId('delivery') : derivedId('delivery', account, 'idempotency_key', key);
