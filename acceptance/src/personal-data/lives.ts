import {
  type Affiliate,
  expectStatus,
  type Page,
  type Payout,
  type PayoutRun,
  waitFor,
} from '@refledger/testing';
import { keyed, type OwingAccount } from '../black-box/payouts/owing-account.js';
import { imported, ndjson } from '../black-box/payouts/sent-import.js';

type Word = () => string;

const email = (word: Word): string => `${word()}@${word()}.example`;

/** All values that a request to add an affiliate may have. */
const person = (word: Word) => ({
  email: email(word),
  name: `${word()} ${word()}`,
  external_id: word(),
  metadata: { [word()]: word() },
});

/**
 * Lets affiliates live, each in another way: all are added, changed and approved, and some are
 * held, suspended, rejected or deleted.
 */
export const live = async (owing: OwingAccount, count: number, word: Word): Promise<Affiliate[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => liveOnce(owing, n, word)));

const liveOnce = async (owing: OwingAccount, n: number, word: Word): Promise<Affiliate> => {
  const { api, account, program } = owing;
  const body = { ...person(word), program_id: program.id };
  const key = keyed(word());
  const created = expectStatus(201, await api.post<Affiliate>('/v1/affiliates', body, key));
  expectStatus(200, await api.post('/v1/affiliates', body, key));
  const { email: taken } = created;
  expectStatus(409, await api.post('/v1/affiliates', { ...body, ...person(word), email: taken }));
  if (n % 5 === 4) return account.update(created, { status: 'rejected', reason: word() });
  await account.update(created, { status: 'approved', reason: word() });
  await account.update(created, { ...person(word), payout_email: email(word) });
  if (n % 4 === 0) await account.update(created, { payout_hold: true, payout_hold_reason: word() });
  if (n % 8 === 0) await account.update(created, { payout_hold: false });
  if (n % 5 === 2) {
    expectStatus(204, await api.delete(`/v1/affiliates/${created.id}`));
    return created;
  }
  await owing.owe(created, 5_000);
  return n % 5 === 1
    ? account.update(created, { status: 'suspended', reason: word() })
    : account.update(created, { metadata: { [word()]: word() } });
};

/** Changes an affiliate so often that its state is kept besides its events. */
export const changeOften = async (
  { account }: OwingAccount,
  affiliate: Affiliate,
  word: Word,
): Promise<void> => {
  for (let n = 0; n < 130; n++) await account.update(affiliate, { name: word() });
};

/** Pays the affiliates of an account with runs and a single payout, and imports the results. */
export const pay = async (owing: OwingAccount, word: Word): Promise<PayoutRun> => {
  const { api, account, program } = owing;
  const body = { program_id: program.id, currency: 'USD', ignore_minimum: true };
  expectStatus(200, await api.post('/v1/payout-runs', { ...body, preview: true }));
  const { id } = expectStatus(202, await api.post<PayoutRun>('/v1/payout-runs', body));
  const run = await waitFor(async () => {
    const found = expectStatus(200, await api.get<PayoutRun>(`/v1/payout-runs/${id}`));
    return found.status === 'finished' && found;
  });
  expectStatus(202, await api.patch(`/v1/payout-runs/${id}`, { status: 'processing' }));
  for (const format of ['csv', 'paypal'])
    await waitFor(async () => {
      const query = { currency: 'USD', format };
      return (await api.get(`/v1/payout-runs/${id}/file`, { query })).status === 200;
    });
  const payouts = await account.all<Payout>('/v1/payouts', { run_id: id });
  expectPaid(payouts);
  const lines = payouts.map(({ id: payout_id }) => ({ payout_id, status: 'completed' }));
  const { end } = await imported(api, ndjson(lines));
  if (end.updated !== payouts.length) throw new Error(`the import failed: ${JSON.stringify(end)}`);
  const [{ affiliate_id }] = payouts as [Payout];
  const paid = expectStatus(200, await api.get<Affiliate>(`/v1/affiliates/${affiliate_id}`));
  await account.update(paid, { payout_email: email(word) });
  await owing.owe(paid, 700);
  await owing.paid(paid, { ignore_minimum: true });
  return run;
};

const expectPaid = (payouts: readonly Payout[]): void => {
  if (payouts.length < 5) throw new Error(`only ${payouts.length} payouts were made`);
};

/** Sends requests that are refused, each with a personal value where it doesn't belong. */
export const sendRefused = async ({ api, program }: OwingAccount, word: Word): Promise<void> => {
  const body = { ...person(word), program_id: program.id };
  expectStatus(422, await api.post('/v1/affiliates', { ...body, email: word() }));
  expectStatus(422, await api.post('/v1/affiliates', { ...body, [word()]: word() }));
  expectStatus(422, await api.get('/v1/affiliates', { query: { [word()]: word() } }));
  expectStatus(404, await api.get(`/v1/affiliates/${word()}`));
  expectStatus(404, await api.get(`/v1/${word()}/${word()}`));
};

/**
 * Reads everything that shows affiliates: each alone, as of a time when all had been changed, with
 * its history, and in lists.
 */
export const readAll = async (
  owing: OwingAccount,
  affiliates: readonly Affiliate[],
  then: string,
): Promise<void> => {
  const { account } = owing;
  const found = await account.all<Affiliate>('/v1/affiliates');
  await account.all('/v1/affiliates', { limit: 7, sort: 'created_at', status: 'approved' });
  const present = new Map(found.map((affiliate) => [affiliate.id, affiliate]));
  await Promise.all(
    affiliates.map(async (affiliate) => {
      const now = present.get(affiliate.id);
      await expectFound(owing, now ?? affiliate, now === undefined ? 0 : 1);
      await readOne(owing, affiliate, then, now !== undefined);
    }),
  );
};

/** Expects that each filter by a personal value finds this many affiliates. */
const expectFound = async (
  { api }: OwingAccount,
  { email: address, external_id }: Affiliate,
  count: number,
): Promise<void> => {
  for (const query of [
    { email: address },
    { email: address.toUpperCase() },
    { external_id: external_id ?? '' },
    { q: address },
  ]) {
    const page = await api.get<Page<Affiliate>>('/v1/affiliates', { query });
    const { data } = expectStatus(200, page);
    if (data.length !== count) throw new Error(`${JSON.stringify(query)} finds ${data.length}`);
  }
};

/** Reads an affiliate in every way. One that was deleted has nothing to read. */
const readOne = async (
  { api, account }: OwingAccount,
  { id }: Affiliate,
  then: string,
  isPresent: boolean,
): Promise<void> => {
  const path = `/v1/affiliates/${id}`;
  for (const read of ['', `?as_of=${then}`, '/stats', '/balances', '/history?limit=3'])
    expectStatus(isPresent ? 200 : 404, await api.get(`${path}${read}`));
  if (isPresent) await account.all(`${path}/history`, { limit: 50, include: 'record' });
};
