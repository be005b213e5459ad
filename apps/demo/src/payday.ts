import { setTimeout as sleep } from 'node:timers/promises';
import type { Payout, PayoutRun } from '@refledger/testing';
import { money } from './screen/money.js';
import { noteLine, payoutLine } from './screen/day-lines.js';
import type { Show } from './screen/screen-state.js';
import type { ApiResponse, Shop } from './service/shop.js';
import { closes } from './day/day.js';
import type { AwaitedWebhooks } from './scenario.js';

export interface PaydayOptions {
  readonly shop: Shop;
  readonly show: Show;
  /** The affiliates' names by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly awaited: AwaitedWebhooks;
  /** The id of the first line; the others follow. */
  readonly firstLine: number;
  readonly signal: AbortSignal;
}

/** The shop closes: it pays everyone with a payout run, and marks the run as completed. */
export const payEverybody = async (options: PaydayOptions): Promise<void> => {
  const { shop, show, names, awaited, firstLine } = options;
  const note = (id: number, words: string): void =>
    show.update({ type: 'line', line: noteLine({ id, at: closes, note: words, tone: 'good' }) });
  note(firstLine, 'the shop pays what is payable: POST /v1/payout-runs');
  const started = await shop.send('POST', runs, {}, { idempotencyKey: 'today' });
  const { id } = runIn(started);
  const run = await reached(options, id, ({ status }) => status === 'finished');
  note(firstLine + 1, `the payout run is finished: ${summary(run)}`);
  const payouts = await shop.all<Payout>('/v1/payouts');
  const lines = payouts.map((payout, index) =>
    payoutLine(firstLine + 2 + index, names.get(payout.affiliate_id) ?? '', payout),
  );
  for (const line of lines) {
    show.update({ type: 'line', line: { ...line, response: '', tone: 'good', delivery: 'none' } });
    awaited.set(`payout.completed ${line.who}`, { id: line.id, sentAt: Date.now() });
  }
  runIn(await shop.send('PATCH', `${runs}/${id}`, { status: 'completed' }));
  await reached(options, id, ({ marks }) => marks.every(({ applied_at }) => applied_at !== null));
  for (const line of lines)
    show.update({
      type: 'line',
      line: { ...line, response: 'paid', tone: 'good', delivery: 'awaited' },
    });
};

const runs = '/v1/payout-runs';

/** Throws if a response does not contain the run. */
const runIn = ({ status, body }: ApiResponse): PayoutRun => {
  if (status >= 300) throw new Error(`the payout run got ${status}: ${JSON.stringify(body)}`);
  return body as PayoutRun;
};

/** Returns the run once `isReached` accepts it. */
const reached = async (
  { shop, signal }: PaydayOptions,
  id: string,
  isReached: (run: PayoutRun) => boolean,
): Promise<PayoutRun> => {
  for (;;) {
    const run = runIn(await shop.send('GET', `${runs}/${id}`));
    if (isReached(run)) return run;
    await sleep(20, undefined, { signal });
  }
};

/** As in `5 payouts, €195.48, $580.81; skipped: 1 not_approved`. */
const summary = ({ payouts: { created, skipped }, totals }: PayoutRun): string => {
  const sums = totals.map(({ currency, amount }) => money(BigInt(amount), currency));
  const why = Object.entries(skipped ?? {}).filter(([, count]) => count > 0);
  const left = why.map(([reason, count]) => `${count} ${reason}`).join(', ');
  return `${[`${created} payouts`, ...sums].join(', ')}${left === '' ? '' : `; skipped: ${left}`}`;
};
