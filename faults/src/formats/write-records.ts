import {
  expectStatus,
  type Affiliate,
  type ApiKey,
  type Program,
  type TestAccount,
} from '@refledger/testing';

/** The records that the rest of the history is about. */
export interface WrittenRecords {
  readonly program: Program;
  readonly affiliates: readonly [ada: Affiliate, bob: Affiliate];
}

/** Programs, affiliates in every status, an erased and a deleted one, and API keys. */
export const writeRecords = async (account: TestAccount): Promise<WrittenRecords> => {
  await writeKeys(account);
  const program = await writePrograms(account);
  const [ada, bob, cleo, dora, eve] = [
    await account.affiliate({
      email: 'ada@example.com',
      external_id: 'crm-1',
      name: 'Ada Lovelace',
      program_id: program.id,
      metadata: { channel: 'newsletter', tier: 'gold' },
    }),
    await account.affiliate({ email: 'bob@example.com', name: 'Bob', program_id: program.id }),
    await account.affiliate({ email: 'cleo@example.com', name: 'Cleo', program_id: program.id }),
    await account.affiliate({ email: 'dora@example.com', name: 'Dora' }),
    await account.affiliate({ email: 'eve@example.com', name: 'Eve' }),
  ];
  const changed = await account.update(ada, {
    status: 'approved',
    reason: 'Checked by phone',
    payout_email: 'ada.pay@example.com',
    commission: { type: 'percentage', rate_bps: 2_500, recurring: { months: 12 }, hold_days: 0 },
  });
  await account.update(bob, { status: 'approved', email: 'bob.new@example.com' });
  await account.update(bob, { name: 'Bob K.', metadata: { tier: 'silver' } });
  await account.update(cleo, { payout_hold: true, payout_hold_reason: 'No address' });
  await account.update(dora, { status: 'rejected', reason: 'A duplicate' });
  expectStatus(204, await account.api.delete(`/v1/affiliates/${dora.id}`));
  await account.update(eve, { status: 'approved' });
  await account.update(eve, { status: 'suspended', reason: 'Fraud' });
  await account.conversion(cleo.id, { external_transaction_id: 'order-of-cleo' });
  await writeErasure(account, program);
  return { program, affiliates: [changed, bob] };
};

const writeKeys = async ({ api }: TestAccount): Promise<void> => {
  const create = async (name: string, scope: string, over: object = {}): Promise<ApiKey> =>
    expectStatus(201, await api.post<ApiKey>('/v1/api-keys', { name, scope, ...over }));
  await create('shop', 'write', { expires_at: '2100-01-01T00:00:00Z' });
  const lost = await create('lost', 'read');
  expectStatus(204, await api.delete(`/v1/api-keys/${lost.id}`));
};

const writePrograms = async (account: TestAccount): Promise<Program> => {
  const program = await account.program({
    id: 'prog_spring',
    name: 'Spring',
    affiliate_approval: 'automatic',
    terms: {
      type: 'percentage',
      rate_bps: 2_000,
      caps: { USD: 50_000 },
      recurring: { months: 12 },
      hold_days: 30,
    },
    minimum_payout: { USD: 1_000 },
    metadata: { season: 'spring' },
  });
  const flat = { type: 'flat', amounts: { USD: 500, EUR: 450, JPY: 700 }, hold_days: 0 };
  await account.update(program, { terms: flat, conversion_approval: 'automatic' });
  await account.update(program, { affiliate_approval: 'manual', reason: 'Too many' });
  const other = await account.program({ id: 'prog_old', name: 'Old' });
  await account.update(other, { status: 'archived' });
  return program;
};

/** An affiliate with a sale and a message to a webhook, all of whose personal values are erased. */
const writeErasure = async (account: TestAccount, program: Program): Promise<void> => {
  const erased = await account.affiliate({
    email: 'finn@example.com',
    external_id: 'crm-6',
    name: 'Finn',
    program_id: program.id,
  });
  await account.update(erased, { status: 'approved', reason: 'A friend of Ada' });
  await account.conversion(erased.id, { sale_amount: 9_900, sale_currency: 'EUR' });
  const path = `/v1/affiliates/${erased.id}/erase`;
  expectStatus(200, await account.api.post(path, undefined));
};
