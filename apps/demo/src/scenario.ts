import { setTimeout as sleep } from 'node:timers/promises';
import type { Affiliate as AffiliateRecord } from '@refledger/testing';
import { addResponse, duplicatesIn, type ShopResponses } from './checking/responses.js';
import { openClock } from './day/clock.js';
import {
  changeLine,
  changeOutcome,
  orderOutcome,
  noteLine,
  orderLine,
  type Outcome,
  type LineStart,
} from './screen/day-lines.js';
import { closes, opens, type DayEvent, type Minute, type Order } from './day/day.js';
import type { Arrival } from './service/receiver.js';
import type { ApiResponse } from './service/shop.js';
import type { Harness } from './service/harness.js';
import type { Line, Show } from './screen/screen-state.js';

/** The parts that the simulation of a day needs. */
export interface DayOptions {
  readonly harness: Harness;
  readonly show: Show;
  /** How long the day takes, in seconds; 0 means as fast as possible. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** The lines that are waiting for a webhook, and since when, keyed by the event that causes it. */
export type AwaitedWebhooks = Map<string, { readonly id: number; readonly sentAt: number }>;

/** Runs a day of the shop against the service, and shows its progress. */
export class Scenario {
  readonly responses: ShopResponses = { accepted: new Map(), refused: new Map(), unexpected: [] };
  readonly awaited: AwaitedWebhooks = new Map();
  kills = 0;
  private now: Minute = opens;
  private requests = 0;
  private retries = 0;
  /**
   * The latest operation of each order: a sale is changed only after its earlier requests have been
   * answered.
   */
  private readonly inProgress = new Map<string, Promise<void>>();
  private killedAt: Minute = closes;
  private restart: Promise<void> = Promise.resolve();

  constructor(private readonly options: DayOptions) {}

  /** Resolves once every request of the day is answered. `ids` are the affiliates' ids by name. */
  async play(day: readonly DayEvent[], ids: ReadonlyMap<string, string>): Promise<void> {
    const { show, seconds, signal } = this.options;
    const clock = openClock(seconds);
    const ticking = setInterval(
      () => show.update({ type: 'clock', minute: (this.now = clock.minute()) }),
      50,
    );
    try {
      for (const [id, dayEvent] of day.entries()) {
        // A slow restart must not turn the whole afternoon into an outage.
        if (seconds > 0 && dayEvent.at > this.killedAt + longestOutage)
          await clock.pauseUntil(this.restart);
        await sleep(clock.msUntil(dayEvent.at), undefined, { signal });
        this.now = dayEvent.at;
        await this.start(id, dayEvent, ids);
      }
      await this.everythingFinished();
      await this.restart;
      show.update({ type: 'clock', minute: closes });
    } finally {
      clearInterval(ticking);
    }
  }

  /** Handles a webhook that has arrived. */
  arrived({ event, valid, at }: Arrival): void {
    const line = this.awaited.get(event);
    if (line !== undefined) {
      this.options.show.update({
        type: 'delivered',
        id: line.id,
        valid,
        ms: Math.max(0, at - line.sentAt),
      });
      if (valid) this.awaited.delete(event);
    }
    this.reportCounts();
  }

  private async start(
    id: number,
    dayEvent: DayEvent,
    ids: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { at } = dayEvent;
    switch (dayEvent.kind) {
      case 'order':
        return this.afterEarlier(dayEvent.order, () =>
          this.order(id, dayEvent, ids.get(dayEvent.order.affiliate.name) ?? ''),
        );
      case 'change':
      case 'refund':
        return this.afterEarlier(dayEvent.order, () => this.change(id, dayEvent));
      case 'suspend':
        return this.suspend(
          { id, at, subject: 'suspend', who: dayEvent.affiliate.name, amount: '' },
          ids.get(dayEvent.affiliate.name) ?? '',
        );
      case 'receiver':
        this.options.harness.receiver.open = dayEvent.open;
        return this.showNote(
          id,
          at,
          dayEvent.open
            ? 'the webhook receiver is back'
            : 'the webhook receiver is being deployed: 503',
        );
      case 'kill':
        return this.kill(id, at);
    }
  }

  private async order(
    id: number,
    { at, order, times, repeated }: Extract<DayEvent, { kind: 'order' }>,
    affiliateId: string,
  ): Promise<void> {
    const line = orderLine(id, at, order);
    const body = {
      affiliate_id: affiliateId,
      sale_amount: order.amount,
      sale_currency: order.currency,
      external_transaction_id: order.number,
    };
    if (!repeated)
      this.awaited.set(`conversion.created ${order.number}`, { id, sentAt: Date.now() });
    const responses = await Promise.all(
      Array.from({ length: times }, () => this.send('POST', '/v1/conversions', body, line)),
    );
    for (const response of responses) addResponse(this.responses, order, response);
    this.report(line, orderOutcome(responses, repeated));
  }

  private async change(
    id: number,
    change: Extract<DayEvent, { kind: 'change' | 'refund' }>,
  ): Promise<void> {
    const { number } = change.order;
    const line = changeLine(id, change);
    const [kind, body] =
      change.kind === 'change'
        ? [change.to, { status: change.to }]
        : ['updated', { refunded_amount: change.amount }];
    this.awaited.set(`conversion.${kind} ${number}`, { id, sentAt: Date.now() });
    const path = `/v1/conversions/${this.responses.accepted.get(number)?.[0]}`;
    const { status } = await this.send('PATCH', path, body, line);
    if (status !== 200) this.responses.unexpected.push(`${status} to ${kind} ${number}`);
    this.report(line, changeOutcome(status, change));
  }

  private async suspend(line: LineStart, affiliateId: string): Promise<void> {
    await this.everythingFinished();
    this.awaited.set(`affiliate.suspended ${line.who}`, { id: line.id, sentAt: Date.now() });
    const { status, body } = await this.send(
      'PATCH',
      `/v1/affiliates/${affiliateId}`,
      { status: 'suspended' },
      line,
    );
    if (status !== 200) this.responses.unexpected.push(`${status} to the suspension`);
    this.report(line, {
      response: `${status} ${(body as AffiliateRecord).status}`,
      tone: 'warn',
      delivery: 'awaited',
    });
  }

  private kill(id: number, at: Minute): void {
    const { harness, show } = this.options;
    const began = performance.now();
    this.kills++;
    this.killedAt = at;
    show.update({ type: 'service', state: 'killed' });
    this.showNote(id, at, 'kill -9: the service is down, orders keep coming', 'bad');
    this.restart = harness.killAndRestart().then(() => {
      show.update({ type: 'service', state: 'up' });
      this.showNote(
        id + 0.5,
        this.now,
        `the service is back after ${((performance.now() - began) / 1_000).toFixed(1)} s, with everything it had acknowledged`,
      );
    });
    this.restart.catch(() => undefined);
  }

  private showNote(id: number, at: Minute, words: string, tone: Line['tone'] = 'warn'): void {
    this.options.show.update({ type: 'line', line: noteLine({ id, at, note: words, tone }) });
  }

  private async send(
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
    line: LineStart,
  ): Promise<ApiResponse> {
    const onRetry = (): void => {
      this.retries++;
      this.report(line, { response: 'no response, retrying', tone: 'bad', delivery: 'none' });
    };
    const response = await this.options.harness.shop.send(method, path, body, { onRetry });
    this.requests++;
    return response;
  }

  private report(line: LineStart, rest: Outcome): void {
    this.options.show.update({ type: 'line', line: { ...line, ...rest } });
    this.reportCounts();
  }

  private reportCounts(): void {
    const { valid, arrived, repeated, rejected } = this.options.harness.receiver.tally;
    this.options.show.update({
      type: 'counts',
      counts: {
        requests: this.requests,
        retries: this.retries,
        refused: this.responses.refused.size,
        duplicates: duplicatesIn(this.responses),
        delivered: valid,
        invalid: arrived - valid,
        repeated,
        rejected,
      },
    });
  }

  private afterEarlier({ number }: Order, work: () => Promise<void>): void {
    const begun = (this.inProgress.get(number) ?? Promise.resolve()).then(work);
    // `everythingFinished` handles the error, but may not be waiting yet.
    begun.catch(() => undefined);
    this.inProgress.set(number, begun);
  }

  private async everythingFinished(): Promise<void> {
    await Promise.all(this.inProgress.values());
  }
}

/** In minutes of the shop's clock. */
const longestOutage = 75;
