import { setTimeout as sleep } from 'node:timers/promises';
import type { Affiliate as AffiliateRecord } from '@refledger/testing';
import { addAnswer, duplicatesIn, type Answers } from './answers.js';
import { openClock } from './clock.js';
import { answeredOrder, noteLine, orderLine, type Answered, type Begun } from './day-lines.js';
import { closes, opens, type Happening, type Minute, type Order } from './day.js';
import type { Arrival } from './inbox.js';
import type { Answer } from './shop.js';
import type { Show } from './show.js';
import type { Harness } from './harness.js';
import type { Line } from './story.js';

export interface DayOptions {
  readonly harness: Harness;
  readonly show: Show;
  /** How long the day takes, in seconds; 0 means as fast as possible. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Plays a day of the shop against the service, and shows it as it goes. */
export class Scenario {
  readonly answers: Answers = { accepted: new Map(), refused: new Map(), unexpected: [] };
  kills = 0;
  private now: Minute = opens;
  private requests = 0;
  private retries = 0;
  /** The lines that wait for a webhook, by the event that causes it. */
  private readonly awaited = new Map<string, { readonly id: number; readonly sentAt: number }>();
  /**
   * The latest operation of each order: a sale is changed only after its earlier requests were
   * answered.
   */
  private readonly underWay = new Map<string, Promise<void>>();
  private killedAt: Minute = closes;
  private restart: Promise<void> = Promise.resolve();

  constructor(private readonly options: DayOptions) {}

  /** Resolves once every request of the day is answered. `ids` are the affiliates' ids by name. */
  async play(day: readonly Happening[], ids: ReadonlyMap<string, string>): Promise<void> {
    const { show, seconds, signal } = this.options;
    const clock = openClock(seconds);
    const ticking = setInterval(
      () => show.tell({ tell: 'clock', minute: (this.now = clock.minute()) }),
      50,
    );
    try {
      for (const [id, happening] of day.entries()) {
        // A machine that starts slowly must not turn the whole afternoon into an outage.
        if (seconds > 0 && happening.at > this.killedAt + longestOutage)
          await clock.standStill(this.restart);
        await sleep(clock.msUntil(happening.at), undefined, { signal });
        this.now = happening.at;
        await this.begin(id, happening, ids);
      }
      await this.everythingAnswered();
      await this.restart;
      show.tell({ tell: 'clock', minute: closes });
    } finally {
      clearInterval(ticking);
    }
  }

  /** Takes each webhook that arrives. */
  arrived({ event, valid, at }: Arrival): void {
    const line = this.awaited.get(event);
    if (line !== undefined) {
      this.options.show.tell({
        tell: 'delivered',
        id: line.id,
        valid,
        ms: Math.max(0, at - line.sentAt),
      });
      if (valid) this.awaited.delete(event);
    }
    this.tellCounts();
  }

  private async begin(
    id: number,
    happening: Happening,
    ids: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { at } = happening;
    switch (happening.kind) {
      case 'order':
        return this.afterEarlier(happening.order, () =>
          this.order(id, happening, ids.get(happening.order.affiliate.name) ?? ''),
        );
      case 'change':
        return this.afterEarlier(happening.order, () => this.change(id, happening));
      case 'suspend':
        return this.suspend(
          { id, at, subject: 'suspend', who: happening.affiliate.name, amount: '' },
          ids.get(happening.affiliate.name) ?? '',
        );
      case 'receiver':
        this.options.harness.receiver.open = happening.open;
        return this.note(
          id,
          at,
          happening.open
            ? 'the webhook receiver is back'
            : 'the webhook receiver is being deployed: 503',
        );
      case 'kill':
        return this.kill(id, at);
    }
  }

  private async order(
    id: number,
    { at, order, times, repeated }: Extract<Happening, { kind: 'order' }>,
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
    const answered = await Promise.all(
      Array.from({ length: times }, () => this.send('post', '/v1/conversions', body, line)),
    );
    for (const answer of answered) addAnswer(this.answers, order, answer);
    this.tell(line, answeredOrder(answered, repeated));
  }

  private async change(
    id: number,
    { at, order, to }: Extract<Happening, { kind: 'change' }>,
  ): Promise<void> {
    const line = orderLine(id, at, order);
    this.awaited.set(`conversion.${to} ${order.number}`, { id, sentAt: Date.now() });
    const { status } = await this.send(
      'patch',
      `/v1/conversions/${this.answers.accepted.get(order.number)?.[0]}`,
      { status: to },
      line,
    );
    if (status !== 200) this.answers.unexpected.push(`${status} to ${to} ${order.number}`);
    this.tell(line, {
      answer: `${status} ${to}`,
      tone: to === 'approved' ? 'quiet' : 'warn',
      delivery: 'awaited',
    });
  }

  private async suspend(line: Begun, affiliateId: string): Promise<void> {
    await this.everythingAnswered();
    this.awaited.set(`affiliate.suspended ${line.who}`, { id: line.id, sentAt: Date.now() });
    const { status, body } = await this.send(
      'patch',
      `/v1/affiliates/${affiliateId}`,
      { status: 'suspended' },
      line,
    );
    if (status !== 200) this.answers.unexpected.push(`${status} to the suspension`);
    this.tell(line, {
      answer: `${status} ${(body as AffiliateRecord).status}`,
      tone: 'warn',
      delivery: 'awaited',
    });
  }

  private kill(id: number, at: Minute): void {
    const { harness, show } = this.options;
    const began = performance.now();
    this.kills++;
    this.killedAt = at;
    show.tell({ tell: 'service', state: 'killed' });
    this.note(id, at, 'kill -9: the service is dead, orders keep coming', 'bad');
    this.restart = harness.killAndRestart().then(() => {
      show.tell({ tell: 'service', state: 'up' });
      this.note(
        id + 0.5,
        this.now,
        `the service is back after ${((performance.now() - began) / 1_000).toFixed(1)} s, with all that it had acknowledged`,
      );
    });
    this.restart.catch(() => undefined);
  }

  private note(id: number, at: Minute, words: string, tone: Line['tone'] = 'warn'): void {
    this.options.show.tell({ tell: 'line', line: noteLine({ id, at, note: words, tone }) });
  }

  private async send(
    method: 'post' | 'patch',
    path: string,
    body: object,
    line: Begun,
  ): Promise<Answer> {
    const answer = await this.options.harness.shop[method](path, body, () => {
      this.retries++;
      this.tell(line, { answer: 'no answer, again', tone: 'bad', delivery: 'none' });
    });
    this.requests++;
    return answer;
  }

  private tell(line: Begun, rest: Answered): void {
    this.options.show.tell({ tell: 'line', line: { ...line, ...rest } });
    this.tellCounts();
  }

  private tellCounts(): void {
    const { valid, arrived, repeated, turnedAway } = this.options.harness.receiver.tally;
    this.options.show.tell({
      tell: 'counts',
      counts: {
        requests: this.requests,
        retries: this.retries,
        refused: this.answers.refused.size,
        duplicates: duplicatesIn(this.answers),
        delivered: valid,
        invalid: arrived - valid,
        repeated,
        turnedAway,
      },
    });
  }

  private afterEarlier({ number }: Order, work: () => Promise<void>): void {
    const begun = (this.underWay.get(number) ?? Promise.resolve()).then(work);
    // `everythingAnswered` handles the error, but may not be waiting yet.
    begun.catch(() => undefined);
    this.underWay.set(number, begun);
  }

  private async everythingAnswered(): Promise<void> {
    await Promise.all(this.underWay.values());
  }
}

/** In minutes of the shop's clock. */
const longestOutage = 75;
