import { create, type WriteAction, type Writing } from './act.js';
import { drawPastDay } from './payouts.js';
import { currencies, programIds } from './programs.js';

/** The recipients of a run: everyone, one program in one currency, or a few affiliates. */
const drawScope = ({ known, random }: Writing): object => {
  const some = [1, 2, 3].flatMap(() => random.pick(known.affiliates)?.id ?? []);
  return {
    everybody: {},
    program: { program_id: random.pick(programIds), currency: random.pick(currencies) },
    some: some.length === 0 ? {} : { affiliate_ids: [...new Set(some)] },
  }[random.weighted({ everybody: 2, program: 4, some: 4 })];
};

export const createRun: WriteAction = (writing) => {
  const { known, random } = writing;
  return create(writing, {
    what: 'payout_run.create',
    method: 'POST',
    path: '/v1/payout-runs',
    body: {
      ...drawScope(writing),
      ignore_minimum: random.is(0.3),
      ...(random.is(0.2) && { until: drawPastDay(random) }),
    },
    key: known.name('key'),
  });
};

/** Marks all payouts of a run, even while it is running. */
export const changeRun: WriteAction = async ({ client, known, random }) => {
  const run = random.pick(known.runs);
  if (run === undefined) return undefined;
  const change = random.weighted({ processing: 3, completed: 3, canceled: 2, described: 1 });
  return (
    await client.send({
      what: 'payout_run.update',
      method: 'PATCH',
      path: `/v1/payout-runs/${run.id}`,
      body:
        change === 'described'
          ? { description: `Run ${random.intBelow(1_000)}` }
          : { status: change },
    })
  ).outcome;
};
