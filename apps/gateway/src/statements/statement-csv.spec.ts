import type { BalanceEvent, RecordedEvent } from '@refledger/contracts';
import { plainPersonalData, storedAffiliate } from '@refledger/domain/testing';
import type { Document, ProjectionSpec } from '@refledger/read-store';
import { statementNames, statementRows } from '@refledger/queries';
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
  }) as unknown as RecordedEvent<BalanceEvent>;
const paid = {
  type: 'balance.settled',
  data: { ...about, payout_id: 'pay_1', amount: String(2n ** 64n) },
} as unknown as RecordedEvent<BalanceEvent>;
const ahead = {
  type: 'balance.settled',
  data: { ...about, posted_at: '2027-01-08T09:30:00.000Z', payout_id: 'pay_2', amount: '7' },
} as unknown as RecordedEvent<BalanceEvent>;
const sale = (number: number, conversion_id: string) =>
  ({
    ...bonus(number, ''),
    data: {
      ...bonus(number, '').data,
      kind: 'commission',
      amount: 7,
      conversion_id,
      adjustment_id: null,
      description: null,
    },
  }) as unknown as RecordedEvent<BalanceEvent>;
const reserved = {
  type: 'balance.reserved',
  data: about,
} as unknown as RecordedEvent<BalanceEvent>;

/** Read models with these records, which count how often each is read. */
const readModels = (records: Readonly<Record<string, object>>) => {
  const reads: string[] = [];
  const get = ({ name }: ProjectionSpec, id: string) => {
    reads.push(`${name}/${id}`);
    const record = records[`${name}/${id}`];
    const value = record === undefined ? undefined : ({ record } as Document);
    return Promise.resolve({ value, position: undefined });
  };
  return { reads, get };
};
const money = readModels({
  'conversions/conv_1': { external_transaction_id: '=1' },
  'conversions/conv_2': { external_transaction_id: null },
  'payouts/pay_1': { description: 'January' },
  'affiliates/aff_1': storedAffiliate('aff_1', { name: 'Ada' }),
  'programs/acct_1/prog_1': { name: 'Spring' },
});

const piecesOf = async (
  namesOf: object,
  ...all: readonly (readonly RecordedEvent<BalanceEvent>[])[]
): Promise<string[]> => {
  async function* batches() {
    for (const batch of all) yield await Promise.resolve(batch);
  }
  const pieces: string[] = [];
  const sheet = {
    period: { from: '2026-10-01T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z' },
    affiliate_name: '@ada, "1"',
    program_name: 'Spring',
    opening: 3n,
    closing: -4n,
    final: true,
    currency: 'USD',
    ...namesOf,
  };
  for await (const piece of statementCsv(statementRows(money, batches(), '2026-10'), sheet))
    pieces.push(piece.replace(/ent_\w{26}/g, 'ENTRY'));
  return pieces;
};
const header =
  'at,kind,amount,amount_decimal,currency,payable_on,entry_id,conversion_id,adjustment_id,payout_id,description,external_transaction_id,affiliate_name,program_name\r\n';
const names = `"'@ada, ""1""",Spring\r\n`;

it('has a header, then a row per line of the month, between the opening and the closing', async () => {
  const pieces = await piecesOf(
    { currency: 'KWD' },
    [bonus(1, '-1, or more'), reserved, ahead],
    [reserved, ahead],
    [sale(2, 'conv_1'), sale(3, 'conv_2'), paid],
  );
  const saleOf = (id: string): string =>
    `${about.posted_at},commission,7,0.007,KWD,2026-11-02,ENTRY,${id},,,`;
  expect(pieces).toEqual([
    `${header}2026-10-01T00:00:00.000Z,opening,3,0.003,KWD,,,,,,,,${names}`,
    `${about.posted_at},adjustment,-5,-0.005,KWD,2026-11-02,ENTRY,,adj_1,,"'-1, or more",,${names}`,
    `${saleOf('conv_1')},'=1,${names}${saleOf('conv_2')},,${names}` +
      `${about.posted_at},paid,-18446744073709551616,-18446744073709551.616,KWD,,,,,pay_1,January,,${names}`,
    `2026-11-01T00:00:00.000Z,closing,-4,-0.004,KWD,,,,,,,,${names}`,
  ]);
});

it('has only what was owed for a month without lines, and says that it is not final', async () => {
  expect(await piecesOf({ opening: 0n, closing: 0n, final: false })).toEqual([
    `${header}2026-10-01T00:00:00.000Z,opening,0,0.00,USD,,,,,,,,${names}`,
    `2026-11-01T00:00:00.000Z,closing,0,0.00,USD,,,,,,not final,,${names}`,
  ]);
});

it('reads each sale and payout of a batch once', async () => {
  money.reads.length = 0;
  await piecesOf({}, [sale(1, 'conv_1'), sale(2, 'conv_1'), paid, bonus(3, 'x')]);
  expect(money.reads).toEqual(['conversions/conv_1', 'payouts/pay_1']);
});

it('has no name of an affiliate that was deleted', async () => {
  const namesOf = (affiliate_id: `aff_${string}`) =>
    statementNames({ money, personalData: plainPersonalData }, 'acct_1', {
      affiliate_id,
      program_id: 'prog_1',
    });
  expect(await namesOf('aff_1')).toEqual({ affiliate_name: 'Ada', program_name: 'Spring' });
  expect(await namesOf('aff_2')).toEqual({ affiliate_name: '', program_name: 'Spring' });
});
