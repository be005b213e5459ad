import type { BalanceEvent, Recorded } from '@refledger/contracts';
import { statementCsv } from './statement-csv.js';

const about = { balance_id: `bal_${'0'.repeat(26)}`, posted_at: '2026-10-31T09:30:00.000Z' };
const bonus = (number: number, description: string) =>
  ({
    type: 'balance.posted',
    data: {
      ...about,
      number,
      kind: 'adjustment',
      amount: -5,
      conversion_id: null,
      adjustment_id: 'adj_1',
      description,
      payable_on: '2026-11-02',
    },
  }) as unknown as Recorded<BalanceEvent>;
const paid = {
  type: 'balance.settled',
  data: { ...about, payout_id: 'pay_1', amount: String(2n ** 64n) },
} as unknown as Recorded<BalanceEvent>;
const ahead = {
  type: 'balance.settled',
  data: { ...about, posted_at: '2027-01-08T09:30:00.000Z', payout_id: 'pay_2', amount: '7' },
} as unknown as Recorded<BalanceEvent>;
const reserved = { type: 'balance.reserved', data: about } as unknown as Recorded<BalanceEvent>;

const piecesOf = async (
  currency: string,
  ...all: readonly (readonly Recorded<BalanceEvent>[])[]
): Promise<string[]> => {
  async function* batches() {
    for (const batch of all) yield await Promise.resolve(batch);
  }
  const pieces: string[] = [];
  for await (const piece of statementCsv(batches(), { month: '2026-10', currency }))
    pieces.push(piece);
  return pieces;
};
const header =
  'at,kind,amount,amount_decimal,currency,payable_on,entry_id,conversion_id,adjustment_id,payout_id,description\r\n';

it('has a header, then a row per line of the month, in a piece per batch', async () => {
  const pieces = await piecesOf(
    'KWD',
    [bonus(1, '-1, or more'), reserved, ahead],
    [reserved, ahead],
    [paid],
  );
  expect(pieces.map((piece) => piece.replace(/ent_\w{26}/, 'ENTRY'))).toEqual([
    header,
    `${about.posted_at},adjustment,-5,-0.005,KWD,2026-11-02,ENTRY,,adj_1,,"'-1, or more"\r\n`,
    `${about.posted_at},paid,-18446744073709551616,-18446744073709551.616,KWD,,,,,pay_1,\r\n`,
  ]);
});

it('is a header alone for a month without lines', async () => {
  expect(await piecesOf('USD')).toEqual([header]);
});
