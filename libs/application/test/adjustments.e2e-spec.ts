import { newId, streams, type AccountId, type NewAdjustment } from '@refledger/contracts';
import { adjustmentRecord, affiliateDecider, firstAccountId } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { newSimulatedLog } from '@refledger/simulation';
import { AdjustmentCommands } from '../src/adjustments/adjustment-commands.js';
import { newContext } from '../src/command-context.js';
import { CommandHandler } from '../src/command-handler.js';
import { Shop } from './shop.js';

const contextOf = (accountId: AccountId) =>
  newContext({ accountId, actor: 'test', requestId: 'r' });

describe('an adjustment', () => {
  let log: EventLog;
  let shop: Shop;
  beforeEach(async () => {
    log = newSimulatedLog();
    shop = new Shop(log);
    await shop.open({});
  });
  afterEach(() => log.close());

  /** Creates an adjustment with a gateway of its own. */
  const create = (
    id = newId('adjustment'),
    over: Partial<NewAdjustment> = {},
    by = firstAccountId,
  ) =>
    new AdjustmentCommands(new CommandHandler(log)).create(
      id,
      { affiliate_id: shop.affiliate_id, currency: 'USD', amount: 1, description: 'a', ...over },
      contextOf(by),
    );

  it('is created once by gateways that are asked concurrently, with the time of its event', async () => {
    const id = newId('adjustment');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => create(id)));
    const [event, ...more] = await shop.events(streams.adjustment(id));
    expect(more).toEqual([]);
    expect(outcomes.flatMap(({ events }) => events)).toHaveLength(1);
    for (const { state } of outcomes)
      expect(adjustmentRecord(state)).toMatchObject({
        id,
        program_id: shop.program_id,
        payable_on: event?.metadata.recorded_at.slice(0, 10),
        created_at: event?.metadata.recorded_at,
      });
  });

  it('needs an affiliate of its own account', async () => {
    for (const refused of [
      create(undefined, {}, newId('account')),
      create(undefined, { affiliate_id: newId('affiliate') }),
      create(undefined, { affiliate_id: shop.program_id }),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'affiliate_not_found' });
  });

  it('can be created for an affiliate that was deleted by another gateway', async () => {
    const { affiliate_id } = shop;
    await new CommandHandler(log).run({
      stream: streams.affiliate(affiliate_id),
      decider: affiliateDecider,
      context: contextOf(firstAccountId),
      command: { type: 'delete', affiliate_id },
    });
    const { state } = await create();
    expect(adjustmentRecord(state)).toMatchObject({ affiliate_id, program_id: shop.program_id });
  });
});
