import {
  newId,
  streams,
  type AffiliateId,
  type NewPayout,
  type PayoutId,
  type Position,
  type UpdatePayout,
} from '@refledger/contracts';
import { CommandHandler, newContext } from '@refledger/application';
import { balanceIdOf, payoutDecider } from '@refledger/domain';
import { affiliateEvents } from '@refledger/domain/testing';
import {
  listPostingDecisions,
  type EventLog,
  type LogBatch,
  type LoggedEvent,
} from '@refledger/event-log';
import { auditBalances, Payouts, type CreatedPayout } from '../src/index.js';
import { replacingAppend } from './faulty-log.js';
import { appendOne, noon, sell } from './sell.js';

/** When payouts are made: every sale is payable. */
export const payday = Date.parse('2026-03-31T12:00:00.000Z');

/** An approved affiliate that has sold something for each of these commissions. */
export const payee = async (
  log: EventLog,
  amounts: readonly number[] = [],
): Promise<AffiliateId> => {
  const id = newId('affiliate');
  await appendOne(
    log,
    streams.affiliate(id),
    affiliateEvents.created({ affiliate_id: id, program_id: 'prog_spring' }),
    { account_id: 'acct_1', recorded_at: noon },
  );
  for (const amount of amounts) await sell(log, { affiliate: id, amount });
  return id;
};

export const newPayoutId = (): PayoutId => newId('payout');

/** Creates payouts as a gateway does, on this log. */
export class Payer {
  readonly commands: CommandHandler;
  private readonly payouts: Payouts;

  constructor(
    log: EventLog,
    options: {
      readonly settle: () => Promise<void>;
      readonly chapterLength?: number;
      readonly commands?: CommandHandler;
    },
  ) {
    const { settle, commands = new CommandHandler(log, { now: () => payday }), ...rest } = options;
    this.commands = commands;
    this.payouts = new Payouts({ log, commands, settle }, rest);
  }

  pay(id: PayoutId, affiliate: AffiliateId, over: Partial<NewPayout> = {}): Promise<CreatedPayout> {
    const asked = { affiliate_id: affiliate, currency: 'USD', ...over };
    return this.payouts.create(id, asked, { context: context(), caller });
  }

  async update(payout_id: PayoutId, patch: UpdatePayout): Promise<void> {
    await this.commands.run({
      stream: streams.payout(payout_id),
      decider: payoutDecider,
      context: context(),
      command: (_, recordedAt) => ({ payout_id, patch, recordedAt }),
    });
  }
}

const caller = { accountId: 'acct_1', keyId: 'key_1' } as const;
const context = () => newContext({ accountId: 'acct_1', actor: 'key_1', requestId: 'r' });

export const balanceOf = (affiliate: AffiliateId) => balanceIdOf('acct_1', affiliate, 'USD');

/** Test double: a log on which a gateway ends before it creates a payout it has reserved. */
export const crashingAtPayouts = (log: EventLog): EventLog =>
  beforePayouts(log, () => Promise.reject(new Error('crashed')));

/** Test double: a log on which something else happens before a payout is created. */
export const beforePayouts = (log: EventLog, happens: () => Promise<unknown>): EventLog =>
  replacingAppend(log, async (stream, events, expected) => {
    if (events[0]?.type === 'payout.created') await happens();
    return log.append(stream, events, expected);
  });

/** What an audit of the balances finds, as if the log's events had been altered. */
export const findings = async (
  log: EventLog,
  alter: (event: LoggedEvent) => LoggedEvent = (event) => event,
  postedThrough?: Position,
): Promise<readonly string[]> => {
  const altered: Pick<EventLog, 'readAll'> = {
    readAll: async function* (options) {
      for await (const batch of log.readAll(options))
        yield { ...batch, events: batch.events.map(alter) } satisfies LogBatch;
    },
  };
  const problems: string[] = [];
  for await (const { problem } of auditBalances({
    log: altered,
    postedThrough: postedThrough ?? (await log.head()),
    decisions: await listPostingDecisions(log),
    signal: new AbortController().signal,
  }))
    problems.push(problem);
  return problems;
};
