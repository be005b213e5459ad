import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { CommandHandler } from '@refledger/application';
import {
  DomainError,
  publicEventTypes,
  matchesKind,
  type DeliveryId,
  type EndpointId,
  type PublicEventType,
  type EventPattern,
} from '@refledger/contracts';
import type { Deliveries, EndpointReads } from '@refledger/queries';
import { sendsNothing } from '@refledger/platform';
import { lateTest, type Delivery } from '@refledger/delivery-store';
import { testDelivery, type Outgoing } from '@refledger/webhook-endpoints';
import { AccountSlots, refusalOf } from '../http/limits/account-slots.js';
import type { ConcurrencyLimit } from '../http/limits/concurrency-limit.js';
import type { Call } from '../http/request/call.js';

export interface EndpointTestsOptions {
  readonly deliveries: Pick<Deliveries, 'read' | 'write'>;
  readonly endpoints: Pick<EndpointReads, 'get'>;
  readonly commands: Pick<CommandHandler, 'instant'>;
  readonly work: Pick<ConcurrencyLimit, 'runUncounted'>;
  readonly outgoing: Pick<Outgoing, 'blocked'>;
  /** The time limit of an attempt, in milliseconds. */
  readonly attemptMs: number;
  /** How long a dispatcher may take to claim a test, and to record its outcome, in milliseconds. */
  readonly graceMs?: number;
}

/** Tests in progress. One account can have only some of them. */
const limits = { total: 128, perAccount: 5 };

/**
 * Sends tests to endpoints. A dispatcher sends what is stored here, like any delivery, and the
 * request waits for the outcome.
 */
export class EndpointTests implements BeforeApplicationShutdown {
  private readonly slots = new AccountSlots(limits);
  private readonly tested = new Set<EndpointId>();
  private readonly ending = new AbortController();

  constructor(private readonly options: EndpointTestsOptions) {}

  /**
   * Ends the requests that are still waiting. Nest calls `onApplicationShutdown` only after every
   * response has been sent, so that would be too late.
   */
  beforeApplicationShutdown(): void {
    this.ending.abort();
  }

  /**
   * Resolves to the delivery once its attempt has ended. Throws `not_found`, `too_many_tests`, and
   * `unavailable` if there is no outcome in time, or immediately if the service sends nothing.
   */
  async run(call: Call<'testWebhook'>): Promise<Delivery> {
    const { deliveries, endpoints, commands, work, outgoing } = this.options;
    const { accountId } = call.caller;
    const { record, position } = await endpoints.get(call);
    const type = call.body.type ?? firstKindOf(record.events);
    if (type === undefined || position === undefined)
      throw new Error(`${record.id} has no event types, or was read at no position`);
    const { blocked } = outgoing;
    if (blocked !== undefined) throw unavailable(`This service ${sendsNothing(blocked)}.`);
    const { payload, id: endpointId } = record;
    if (this.tested.has(endpointId))
      throw new DomainError(
        'too_many_tests',
        'This endpoint is being tested. Wait until that test has ended.',
      );
    const release = this.slots.take(accountId, refusalOf('tests', limits));
    this.tested.add(endpointId);
    try {
      const now = commands.instant();
      const about = { accountId, endpointId, type, payload, decidedAt: position, now };
      const delivery = testDelivery(about);
      await deliveries.write((store) => store.request(delivery, now));
      return await work.runUncounted('write', () => this.outcomeOf(delivery.id));
    } finally {
      this.tested.delete(endpointId);
      release();
    }
  }

  private async outcomeOf(id: DeliveryId): Promise<Delivery> {
    const { deliveries, attemptMs, graceMs = 5_000 } = this.options;
    const begun = performance.now();
    for (let wait = 50; ; wait = Math.min(wait * 2, maxWaitMs)) {
      await this.wait(wait);
      const delivery = await deliveries.read((reader) => reader.get(id));
      if (delivery === undefined) throw new Error(`the store has lost the test ${id}`);
      if (delivery.finishedAt !== null) return delivery;
      const passed = performance.now() - begun;
      if (passed >= graceMs && delivery.status === 'waiting' && (await this.cancel(id)))
        throw unavailable('No webhook-dispatcher has sent the test; it was canceled. Retry later.');
      if (passed >= attemptMs + graceMs)
        throw unavailable(`The outcome of the test is not known yet. Read ${id} later.`);
    }
  }

  private cancel(id: DeliveryId): Promise<boolean> {
    const now = this.options.commands.instant();
    return this.options.deliveries.write((store) => store.cancelWaiting(id, lateTest, now));
  }

  /** Throws `unavailable` once the service ends. */
  private async wait(ms: number): Promise<void> {
    const { signal } = this.ending;
    await sleep(ms, undefined, { signal }).catch(() => {
      throw unavailable('The service is shutting down. Retry later.');
    });
  }
}

/** The first kind of the first entry. */
const firstKindOf = ([first]: readonly EventPattern[]): PublicEventType | undefined =>
  publicEventTypes.find((kind) => first !== undefined && matchesKind([first], kind));

const maxWaitMs = 400;

const unavailable = (detail: string): DomainError => new DomainError('unavailable', detail);
