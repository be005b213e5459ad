/// <reference types="jest" />
import {
  type Adjustment,
  adjustmentBody,
  type Affiliate,
  affiliateBody,
  type ApiResponse,
  type Conversion,
  conversionBody,
  expectStatus,
  type Program,
  programBody,
  type PublicRecord,
  type TestAccount,
  uniqueEmail,
  uniqueText,
} from '@refledger/testing';

/**
 * Causes each type of public event of an affiliate, a conversion, a program and an adjustment.
 * Returns what the webhooks must carry, in order, and the affiliate that was deleted at the end.
 */
export const writeEachType = async (account: TestAccount) => {
  const writes = recordingWrites(account);
  const ada = await writeAffiliate(writes);
  await writeSale(writes, ada);
  await writeProgram(writes);
  await writeAdjustment(writes, ada);
  const deleted = await writeEnds(writes, ada);
  return { expected: writes.expected, deleted };
};

/** Writes that keep the event which each of them records. */
const recordingWrites = ({ api }: TestAccount) => {
  const expected: { type: string; position: string | undefined; data: unknown }[] = [];
  const wrote = <T extends PublicRecord>(type: string, response: ApiResponse<T>): T => {
    expect([200, 201]).toContain(response.status);
    expected.push({
      type,
      position: response.header('refledger-position'),
      data: response.body,
    });
    return response.body;
  };
  const change = async (type: string, record: PublicRecord, with_: object): Promise<void> =>
    void wrote(type, await api.patch<PublicRecord>(`/v1/${record.object}s/${record.id}`, with_));
  return { api, expected, wrote, change };
};
type Writes = ReturnType<typeof recordingWrites>;

const writeAffiliate = async ({ api, wrote, change }: Writes): Promise<Affiliate> => {
  const ada = wrote(
    'affiliate.created',
    await api.post<Affiliate>('/v1/affiliates', affiliateBody({ metadata: { a: '1' } })),
  );
  await change('affiliate.updated', ada, { name: 'Ada L.', email: uniqueEmail() });
  await change('affiliate.updated', ada, { commission: { type: 'flat', amounts: { usd: 5 } } });
  await change('affiliate.approved', ada, { status: 'approved', reason: 'known', name: 'Ada' });
  return ada;
};
const writeSale = async ({ api, wrote, change }: Writes, ada: Affiliate): Promise<void> => {
  const sale = wrote(
    'conversion.created',
    await api.post<Conversion>(
      '/v1/conversions',
      conversionBody(ada.id, { external_transaction_id: uniqueText('sale') }),
    ),
  );
  await change('conversion.updated', sale, { sale_amount: 7 });
  await change('conversion.approved', sale, { status: 'approved' });
  await change('conversion.updated', sale, { refunded_amount: 2 });
  await change('conversion.updated', sale, { commission_amount: 1, reason: 'bonus' });
  await change('conversion.rejected', sale, { status: 'rejected', reason: 'fraud' });
  await change('conversion.approved', sale, { status: 'approved' });
  await change('conversion.refunded', sale, { status: 'refunded' });
};
const writeProgram = async ({ api, wrote, change }: Writes): Promise<void> => {
  const program = wrote(
    'program.created',
    await api.post<Program>(
      '/v1/programs',
      programBody({ terms: { type: 'flat', amounts: { usd: 500 } } }),
    ),
  );
  await change('program.updated', program, { terms: null, reason: 'over' });
};
const writeAdjustment = async ({ api, wrote, change }: Writes, ada: Affiliate): Promise<void> => {
  const bonus = wrote(
    'adjustment.created',
    await api.post<Adjustment>('/v1/adjustments', adjustmentBody(ada.id)),
  );
  await change('adjustment.updated', bonus, { metadata: { a: '1' } });
  await change('adjustment.voided', bonus, { status: 'voided', reason: 'twice' });
};
const writeEnds = async ({ api, wrote, change }: Writes, ada: Affiliate): Promise<Affiliate> => {
  await change('affiliate.suspended', ada, { status: 'suspended' });
  const bob = wrote(
    'affiliate.created',
    await api.post<Affiliate>('/v1/affiliates', affiliateBody()),
  );
  await change('affiliate.rejected', bob, { status: 'rejected' });
  expectStatus(204, await api.delete(`/v1/affiliates/${bob.id}`));
  return bob;
};
