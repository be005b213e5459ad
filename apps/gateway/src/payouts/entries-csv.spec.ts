import { entrySchema, type EntryRecord } from '@refledger/contracts';
import { entriesCsv } from './entries-csv.js';

const example = entrySchema.parse(entrySchema.meta()?.['example']);

const csvOf = async (...batches: readonly Partial<EntryRecord>[][]): Promise<string[]> => {
  async function* rowsOf(): AsyncGenerator<readonly EntryRecord[]> {
    for (const batch of batches)
      yield await Promise.resolve(batch.map((over) => ({ ...example, ...over })));
  }
  let text = '';
  for await (const piece of entriesCsv(rowsOf())) text += piece;
  return text.split('\r\n');
};

it('has a row per entry after the header, with amounts in minor units and as decimals', async () => {
  const conversion_id = example.conversion_id ?? '';
  const row = (amounts: string) =>
    `${example.id},1,${example.balance_id},${example.affiliate_id},prog_spring,commission,${amounts},2026-03-02,${conversion_id},,,,${example.caused_by},2026-01-31T09:30:00.000Z,2026-01-31T09:30:00.010Z,1234`;
  expect(
    await csvOf([{}, { amount: -5 }], [], [{ currency: 'JPY' }, { currency: 'KWD', amount: 1 }]),
  ).toEqual([
    'id,number,balance_id,affiliate_id,program_id,kind,amount,amount_decimal,currency,payable_on,conversion_id,adjustment_id,description,payout_id,caused_by,posted_at,created_at,position',
    row('4000,40.00,USD'),
    row('-5,-0.05,USD'),
    row('4000,4000,JPY'),
    row('1,0.001,KWD'),
    '',
  ]);
});

it('has no cell that a spreadsheet would run', async () => {
  const [, row] = await csvOf([{ description: '=HYPERLINK("x")', amount: -1 }]);
  expect(row).toContain(`,"'=HYPERLINK(""x"")",`);
  expect(row).toContain(',-1,-0.01,USD,');
});
