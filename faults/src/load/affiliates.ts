import { sixteenAtATime } from '../sixteen-at-a-time.js';
import type { Intent } from '../ledger.js';
import { create, createAtOnce, type WriteAction, type Writing } from './act.js';
import { drawTerms, programIds } from './programs.js';

/** One of the few addresses that all writers compete for. */
const wanted = ({ random }: Writing): string => `wanted-${random.intBelow(8)}@example.com`;

const drawProgram = ({ random }: Writing): string => random.pick(programIds) ?? programIds[0];

const newAffiliate = (writing: Writing, email: string, program_id: string): Intent => ({
  what: 'affiliate.create',
  method: 'POST',
  path: '/v1/affiliates',
  body: { email, name: 'Ada Lovelace', program_id },
  key: writing.known.name('key'),
});

const newAffiliateIn = (program: string, writing: Writing): Intent =>
  newAffiliate(writing, `${writing.known.name('ada')}@example.com`, program);

export const createAffiliate: WriteAction = (writing) =>
  create(writing, newAffiliateIn(drawProgram(writing), writing));

/**
 * Creates an affiliate of each program, so that there are affiliates to record sales for. The first
 * one gets most of the adjustments.
 */
export const createFirstAffiliates = async (writing: Writing): Promise<void> => {
  for (const program of programIds) await createAtOnce(writing, newAffiliateIn(program, writing));
  writing.known.busiest = writing.known.affiliates[0];
};

/** Creates this many affiliates of one program. */
export const createAffiliatesIn = (
  program: string,
  count: number,
  writing: Writing,
): Promise<void> =>
  sixteenAtATime(Array(count).keys(), () =>
    createAtOnce(writing, newAffiliateIn(program, writing)),
  );

/** Sends three requests for one email address at the same time: at most one of them may get it. */
export const raceForEmail: WriteAction = async (writing) => {
  const email = wanted(writing);
  const program = drawProgram(writing);
  const [first] = await Promise.all(
    [1, 2, 3].map(() => create(writing, newAffiliate(writing, email, program))),
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
    name: { name: `Ada ${random.intBelow(1_000)}` },
    email: { email: wanted(writing) },
    terms: { commission: random.is(0.2) ? null : drawTerms(random) },
  }[random.weighted({ approve: 6, suspend: 1, name: 3, email: 4, terms: 10 })];
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
