import type { Intent } from '../ledger.js';
import { create, type WriteAction, type Writing } from './act.js';

const program = 'prog_faults';

/** One of the few addresses that all writers compete for. */
const wanted = ({ random }: Writing): string => `wanted-${random.below(8)}@example.com`;

const newAffiliate = (writing: Writing, email: string): Intent => ({
  what: 'affiliate.create',
  method: 'POST',
  path: '/v1/affiliates',
  body: { email, name: 'Ada Lovelace', program_id: program },
  key: writing.known.name('key'),
});

export const createAffiliate: WriteAction = (writing) =>
  create(writing, newAffiliate(writing, `${writing.known.name('ada')}@example.com`));

/** Sends three requests for one e-mail address at the same time: at most one of them may get it. */
export const raceForEmail: WriteAction = async (writing) => {
  const email = wanted(writing);
  const [first] = await Promise.all(
    [1, 2, 3].map(() => create(writing, newAffiliate(writing, email))),
  );
  return first;
};

export const changeAffiliate: WriteAction = async (writing) => {
  const { client, known, random } = writing;
  const affiliate = random.pick(known.affiliates);
  if (affiliate === undefined) return undefined;
  const body = {
    approve: { status: 'approved' },
    suspend: { status: 'suspended' },
    name: { name: `Ada ${random.below(1_000)}` },
    email: { email: wanted(writing) },
  }[random.weighted({ approve: 6, suspend: 1, name: 3, email: 4 })];
  return (
    await client.send({
      what: 'affiliate.update',
      method: 'PATCH',
      path: `/v1/affiliates/${affiliate.id}`,
      body,
    })
  ).outcome;
};

export const deleteAffiliate: WriteAction = async ({ client, known, random }) => {
  const affiliate = random.pick(known.affiliates);
  if (affiliate === undefined || known.affiliates.length < 10) return undefined;
  const { outcome } = await client.send({
    what: 'affiliate.delete',
    method: 'DELETE',
    path: `/v1/affiliates/${affiliate.id}`,
  });
  if (outcome.report !== 'unknown') known.forget(affiliate);
  return outcome;
};
