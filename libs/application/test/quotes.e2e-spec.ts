import { newId, streams, type Quote, type QuotedSale } from '@refledger/contracts';
import { firstAccountId, programDecider } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { settled, SteppedLog } from '@refledger/event-log/conformance';
import { newSimulatedLog } from '@refledger/simulation';
import { CommandHandler } from '../src/command-handler.js';
import { Quotes } from '../src/conversions/quotes.js';
import { Shop } from './shop.js';

let log: EventLog;
let shop: Shop;
beforeEach(async () => {
  log = newSimulatedLog();
  shop = new Shop(log);
  await shop.open({ terms: { type: 'percentage', rate_bps: 1_000, recurring: 'first' } });
});
afterEach(() => log.close());

const quote = async (sale: Partial<QuotedSale>): Promise<Quote> => {
  const { affiliate_id, program_id } = shop;
  const commands = new CommandHandler(log);
  const program = await commands.load(programDecider, streams.program(firstAccountId, program_id));
  return new Quotes(log, commands).quote(firstAccountId, program_id, program.state, {
    affiliate_id,
    sale_amount: 10_000,
    sale_currency: 'usd',
    ...sale,
  });
};
const whyFor = async (sale: Partial<QuotedSale>): Promise<string> =>
  (await quote(sale)).commission.why;

it('quotes a first sale and a later one', async () => {
  expect(await whyFor({ customer_id: 'bob' })).toBe('applied');
  await shop.sell(newId('conversion'), 'bob');
  expect(await whyFor({ customer_id: 'bob' })).toBe('not_first');
  expect(await whyFor({ customer_id: 'eve' })).toBe('applied');
  expect(await whyFor({})).toBe('applied');
});

it('without an affiliate, counts every customer as new', async () => {
  await shop.sell(newId('conversion'), 'bob');
  expect(await whyFor({ customer_id: 'bob', affiliate_id: undefined })).toBe('applied');
});

it('counts an unfinished claim as the first sale, and leaves it unfinished', async () => {
  const id = newId('conversion');
  const { log: stepped, steps } = SteppedLog.wrap(log);
  const selling = settled(shop.sell(id, 'bob', { on: stepped }));
  await steps.step(selling); // takes the claim
  await steps.arrived(selling);
  const head = await log.head();
  expect(await whyFor({ customer_id: 'bob' })).toBe('not_first');
  expect(await log.head()).toBe(head);
  while (await steps.step(selling));
  expect(await selling).toBe('done');
  expect(await whyFor({ customer_id: 'bob' })).toBe('not_first');
});

it('does not count a claim whose conversion was recorded by another request', async () => {
  const id = newId('conversion');
  const { log: stepped, steps } = SteppedLog.wrap(log);
  const selling = settled(shop.sell(id, 'bob', { on: stepped }));
  await steps.step(selling); // takes the claim
  await steps.arrived(selling);
  await shop.sell(id, 'eve');
  while (await steps.step(selling));
  expect(await selling).toBe('idempotency_key_reused');
  expect(await shop.events(shop.customer('bob'))).toHaveLength(1);
  expect(await whyFor({ customer_id: 'bob' })).toBe('applied');
  expect(await whyFor({ customer_id: 'eve' })).toBe('not_first');
});
