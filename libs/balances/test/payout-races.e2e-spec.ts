import { streams, type AffiliateId, type PayoutId } from '@refledger/contracts';
import { CommandHandler } from '@refledger/application';
import type { EventLog, LogBatch } from '@refledger/event-log';
import { raceAtEveryStep } from '@refledger/event-log/conformance';
import type { ReadStore } from '@refledger/read-store';
import { allOf, Embedded, postToHead } from './embedded.js';
import { replacing, replacingAppend, withoutExpectation, withoutThrough } from './faulty-log.js';
import { beforePayouts, newPayoutId, payday, payee, Payer } from './payees.js';
import { expectPayoutLaws } from './payout-laws.js';
import { sell } from './sell.js';

const chapterLength = 6;
let embedded: Embedded;
let log: EventLog;
let stores = 0;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
});
afterEach(() => embedded.remove());

const postWith = (store: ReadStore, on: EventLog = log): Promise<void> =>
  postToHead({ log: on, store, now: () => payday, chapterLength });
/** A ledger without a checkpoint. */
const post = async (on: EventLog = log): Promise<void> =>
  postWith(await embedded.openStore(`store ${stores++}`), on);
const behind = () => Promise.resolve();
const payerOn = (on: EventLog = log, settle: () => Promise<void> = behind): Payer =>
  new Payer(on, { settle, chapterLength });
const expectLaws = () => expectPayoutLaws(log, chapterLength);

/** Reserves a payout id for the first affiliate, although it becomes the second one's payout. */
const reserveInVain = async (first: AffiliateId, second: AffiliateId): Promise<PayoutId> => {
  const id = newPayoutId();
  const rivalled = beforePayouts(log, () => payerOn().pay(id, second));
  await expect(payerOn(rivalled).pay(id, first)).rejects.toMatchObject({
    code: 'idempotency_key_reused',
  });
  return id;
};

/** What the ledger still has to do about payouts of every kind. */
const unfinished = async (): Promise<void> => {
  const [first, second, third] = [
    await payee(log, [100, 10]),
    await payee(log, [200]),
    await payee(log, [300]),
  ];
  await post();
  const failed = await reserveInVain(first, second);
  await payerOn().update(failed, { status: 'completed' });
  await payerOn().update(failed, { status: 'failed', reason: 'closed' });
  await payerOn(beforePayouts(log, () => Promise.reject(new Error('crashed'))))
    .pay(newPayoutId(), third)
    .catch(() => undefined);
  for (const affiliate of [first, second, third]) await sell(log, { affiliate, amount: 7 });
};

describe('two ledgers', () => {
  it('finish payouts once, wherever one of them pauses', async () => {
    // with checkpoints: a ledger without one appends each payout again, which changes nothing
    const [first, second] = [await embedded.openStore('first'), await embedded.openStore('second')];
    const pauses = await raceAtEveryStep(log, {
      setUp: unfinished,
      paused: (on) => postWith(first, on),
      rival: () => postWith(second),
      check: async () => {
        await expectLaws();
        const head = await log.head();
        await post();
        expect(await log.head()).toEqual(head);
      },
    });
    expect(pauses).toBeGreaterThan(3);
  });
});

describe('a gateway and a ledger', () => {
  it('make a payout once, wherever the gateway pauses', async () => {
    const id = { current: newPayoutId() };
    const pauses = await raceAtEveryStep(log, {
      setUp: async () => {
        id.current = newPayoutId();
        const affiliate = await payee(log, [100, 10]);
        await post();
        await sell(log, { affiliate, amount: 1 });
        return affiliate;
      },
      paused: (on, affiliate) => payerOn(on).pay(id.current, affiliate),
      rival: () => post(),
      check: async () => {
        await post();
        await expectLaws();
      },
    });
    expect(pauses).toBeGreaterThan(1);
  });

  it('two gateways with the same request make one payout, wherever one pauses', async () => {
    const id = { current: newPayoutId() };
    await raceAtEveryStep(log, {
      setUp: async () => {
        id.current = newPayoutId();
        const affiliate = await payee(log, [100, 10]);
        await post();
        return affiliate;
      },
      paused: (on, affiliate) => payerOn(on).pay(id.current, affiliate),
      rival: async (affiliate) => {
        await payerOn().pay(id.current, affiliate);
        await payerOn().update(id.current, { status: 'completed' });
        await sell(log, { affiliate, amount: 5 });
        await post();
      },
      check: async () => {
        await post();
        await expectLaws();
        const reserved = (await allOf(log)).filter(
          ({ type, data }) =>
            type === 'balance.reserved' &&
            (data as { readonly payout_id: string }).payout_id === id.current,
        );
        expect(reserved).toHaveLength(1);
      },
    });
  });
});

/** Each law must break without the mechanism that keeps it, or its test would prove nothing. */
describe('the laws break', () => {
  it('without the last event posted: the ledger releases the same payout again', async () => {
    const affiliate = await payee(log, [100]);
    await post();
    const id = newPayoutId();
    await payerOn().pay(id, affiliate);
    await payerOn().update(id, { status: 'failed', reason: 'closed' });
    await post(withoutThrough(log));
    await expect(expectLaws()).rejects.toThrow();
  });

  it('without the expected revision: two payouts take the same lines', async () => {
    const affiliate = await payee(log, [100]);
    await post();
    const first = payerOn(
      replacingAppend(withoutExpectation(log), async (stream, events, expected) => {
        if (events[0]?.type === 'balance.reserved') await payerOn().pay(newPayoutId(), affiliate);
        return withoutExpectation(log).append(stream, events, expected);
      }),
    );
    await first.pay(newPayoutId(), affiliate);
    await post();
    await expect(expectLaws()).rejects.toThrow();
  });

  /** A request whose ledger keeps it waiting while the same request is carried out by another. */
  const overtaken = async (commands?: CommandHandler) => {
    const affiliate = await payee(log, [100]);
    await post();
    const id = newPayoutId();
    const settle = async (): Promise<void> => {
      await payerOn().pay(id, affiliate);
      await payerOn().update(id, { status: 'completed' });
      await sell(log, { affiliate, amount: 5 });
      await post();
    };
    const options = { settle, chapterLength, ...(commands !== undefined && { commands }) };
    return new Payer(log, options).pay(id, affiliate).catch((error: unknown) => error);
  };

  it('with the payout looked for before the balance: one payout is reserved twice', async () => {
    expect(await overtaken()).toMatchObject({ isNew: false });
    await expectLaws();

    await overtaken(lookingOnlyOnce(new CommandHandler(log, { now: () => payday })));
    await expect(expectLaws()).rejects.toThrow();
  });

  it('without the release of a void reservation: its lines are in no payout', async () => {
    const [first, second] = [await payee(log, [100]), await payee(log, [200])];
    await post();
    await reserveInVain(first, second);
    await post(withoutReservations(log));
    await expect(expectLaws()).rejects.toThrow();
    await post();
    await expectLaws();
  });
});

/** Test double: commands that remember what they found first in the stream of a payout. */
const lookingOnlyOnce = (commands: CommandHandler): CommandHandler => {
  const found = new Map<string, unknown>();
  const load: CommandHandler['load'] = async (decider, stream) => {
    if (!stream.startsWith(streams.payout('pay_'))) return commands.load(decider, stream);
    if (!found.has(stream)) found.set(stream, await commands.load(decider, stream));
    return found.get(stream) as never;
  };
  return replacing(commands, { load });
};

/** Test double: a log in which a ledger does not meet reservations. */
const withoutReservations = (from: EventLog): EventLog =>
  replacing(from, {
    subscribe: async function* (options: Parameters<EventLog['subscribe']>[0]) {
      for await (const batch of from.subscribe(options))
        yield {
          ...batch,
          events: batch.events.filter(({ type }) => type !== 'balance.reserved'),
        } satisfies LogBatch;
    },
  });
