import type { Conversion, Random } from '@refledger/testing';
import { create, type WriteAction, type Writing } from './act.js';
import { currencies, programIds } from './programs.js';

/** Mostly everyday amounts. Doubles cannot multiply the few largest by a rate exactly. */
const drawAmount = (random: Random): number =>
  random.is(0.05) ? 999_999_999_999 - random.intBelow(1_000_000) : random.intBelow(1_000_000);

/** Around the ends of months, where calendars are tricky. */
const drawOccurrence = (random: Random): string =>
  new Date(Date.UTC(2024, random.intBelow(12), random.intBetween(28, 32), 12)).toISOString();

/**
 * Half of the sales are for the first affiliates, so that customers buy again even in a short run.
 */
const newSale = ({ known: { affiliates }, random }: Writing) => {
  const affiliate = random.pick(
    random.is(0.5) ? affiliates.slice(0, programIds.length) : affiliates,
  );
  return (
    affiliate && {
      affiliate_id: affiliate.id,
      sale_amount: drawAmount(random),
      sale_currency: random.pick(currencies),
      ...(random.is(0.2) && { commission_amount: random.intBelow(100_000) }),
      ...(random.is(0.8) && { customer_id: `customer-${random.intBelow(3)}` }),
      ...(random.is(0.7) && { occurred_at: drawOccurrence(random) }),
    }
  );
};

export const createWithTransactionId: WriteAction = async (writing) => {
  const sale = newSale(writing);
  return (
    sale &&
    create(writing, {
      what: 'conversion.create',
      method: 'POST',
      path: '/v1/conversions',
      body: { ...sale, external_transaction_id: writing.known.name('tx') },
    })
  );
};

export const createWithKey: WriteAction = async (writing) => {
  const sale = newSale(writing);
  return (
    sale &&
    create(writing, {
      what: 'conversion.create',
      method: 'POST',
      path: '/v1/conversions',
      body: sale,
      key: writing.known.name('key'),
    })
  );
};

/** Sends two requests for one sale at the same time. */
export const createTwiceConcurrently: WriteAction = async (writing) => {
  const sale = newSale(writing);
  if (sale === undefined) return undefined;
  const intent = {
    what: 'conversion.create',
    method: 'POST',
    path: '/v1/conversions',
    body: { ...sale, external_transaction_id: writing.known.name('twin') },
  } as const;
  const [first] = await Promise.all([create(writing, intent), create(writing, intent)]);
  return first;
};

/** Repeats an earlier create unchanged. */
export const repeatCreate: WriteAction = async (writing) => {
  const earlier = writing.random.pick(writing.known.creates);
  return earlier && create(writing, earlier.intent);
};

/** The field that holds the amount in a create. */
const amountOf: Readonly<Record<string, string>> = {
  'conversion.create': 'sale_amount',
  'adjustment.create': 'amount',
};

/** Repeats an earlier create with another amount, which must be refused. */
export const repeatWithOtherAmount: WriteAction = async ({ client, known, random }) => {
  const earlier = random.pick(known.creates.filter(({ intent }) => intent.what in amountOf));
  const other = {
    [amountOf[earlier?.intent.what ?? ''] ?? '']: 1_000_000 + random.intBelow(1_000),
  };
  return (
    earlier &&
    (await client.send({ ...earlier.intent, body: { ...earlier.intent.body, ...other } })).outcome
  );
};

export const changeConversion: WriteAction = async ({ client, known, random }) => {
  const conversion = random.pick(known.conversions);
  if (conversion === undefined) return undefined;
  const body = changes[
    random.weighted({
      approved: 6,
      rejected: 2,
      refunded: 2,
      partlyRefunded: 4,
      whollyRefunded: 1,
      approvedInPart: 4,
      amount: 2,
      commission: 2,
      metadata: 2,
    })
  ](random.intBelow(1_000_000), conversion);
  return (
    await client.send({
      what: 'conversion.update',
      method: 'PATCH',
      path: `/v1/conversions/${conversion.id}`,
      body,
    })
  ).outcome;
};

const changes = {
  approved: () => ({ status: 'approved' }),
  rejected: (n: number) => ({ status: 'rejected', reason: `returned ${n}` }),
  refunded: () => ({ status: 'refunded' }),
  partlyRefunded: (n: number, sale: Conversion) => ({ refunded_amount: partOf(sale, n) }),
  whollyRefunded: (_n: number, sale: Conversion) => ({ refunded_amount: sale.sale_amount }),
  approvedInPart: (n: number, sale: Conversion) => ({
    status: 'approved',
    refunded_amount: partOf(sale, n),
  }),
  commission: (n: number) => ({ commission_amount: n % 3 === 0 ? null : n }),
  amount: (n: number) => ({ sale_amount: n }),
  metadata: (n: number) => ({ metadata: { note: String(n) } }),
} as const;

const partOf = ({ sale_amount }: Conversion, n: number): number => n % (sale_amount + 1);
