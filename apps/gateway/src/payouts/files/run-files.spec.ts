import { type CommandHandler, ThrottledReads } from '@refledger/application';
import {
  payoutRunSchema,
  payoutSchema,
  streams,
  type PayoutId,
  type PayoutRunRecord,
  type Position,
  type SealedAffiliateRecord,
} from '@refledger/contracts';
import { plainPersonalData, storedAffiliate } from '@refledger/domain/testing';
import { newMetrics } from '@refledger/platform';
import { payoutRunsProjection } from '@refledger/projections';
import type { Document } from '@refledger/read-store';
import { type MoneyReads, RunPayouts } from '@refledger/queries';
import { Exports } from '../../exports/exports.js';
import type { Call } from '../../http/request/call.js';
import { RunFiles } from './run-files.js';

type FileCall = Call<'getPayoutRunFile'>;

const size = 250;
const run: PayoutRunRecord = payoutRunSchema.parse(payoutRunSchema.meta()?.['example']);
const example = payoutSchema.parse(payoutSchema.meta()?.['example']);
const payoutId = (n: number): PayoutId => `pay_${String(n).padStart(26, '0')}`;
const affiliateId = (n: number) => `aff_${String(n).padStart(26, '0')}` as const;
const processing = (n: number) => ({
  ...example,
  id: payoutId(n),
  affiliate_id: affiliateId(n),
  run_id: run.id,
  status: 'processing' as 'created' | 'processing',
  description: null,
  payee_revision: 3,
});
const affiliate = (n: number) => ({
  name: `Affiliate ${n}`,
  email: `checked-${n}@example.com`,
  payout_email: null,
  payeeRevision: 3,
});
const numbers = Array.from({ length: size }, (_, n) => n);
const lastOne = size - 1;

let current: PayoutRunRecord;
let payouts: ReturnType<typeof processing>[];
let affiliates: (ReturnType<typeof affiliate> | undefined)[];
/** Called whenever the streams are about to be read for a payout's row. */
let beforeRow: (n: number) => void;
beforeEach(() => {
  current = run;
  payouts = numbers.map(processing);
  affiliates = numbers.map(affiliate);
  beforeRow = () => undefined;
});

const stateOf = (stream: string): unknown => {
  if (stream === streams.payout_run(run.id)) return { kind: 'present', record: current };
  const [kind, id = ''] = stream.replace(/^refledger\./, '').split('-');
  const n = Number(id.split('_')[1]);
  if (kind === 'payout') {
    beforeRow(n);
    return { kind: 'present', record: payouts[n] };
  }
  const found = affiliates[n];
  if (found === undefined) return { kind: 'deleted' };
  const { payeeRevision, ...fields } = found;
  const record = storedAffiliate(affiliateId(n), fields);
  return { kind: 'present', record, payeeRevision };
};

/** The read model shows the payouts as they were when the file was asked for. */
const find: MoneyReads['find'] = (_, { where, after: [after = ''] = [], limit }) => {
  const isOfRun = where.some(({ field }) => field === 'run_id');
  const shown: Document[] = !isOfRun
    ? []
    : numbers
        .map((n) => ({ record: processing(n), created_position: payoutId(n) }))
        .filter(({ created_position }) => created_position > String(after));
  return Promise.resolve({ value: shown.slice(0, limit), position: '9' as Position });
};

/** How many affiliates were opened in each call. */
let opened: number[];
beforeEach(() => {
  opened = [];
});
const openAffiliates = (records: readonly SealedAffiliateRecord[]) => {
  opened.push(records.length);
  return plainPersonalData.openAffiliates(records);
};

const waits = { run: <T>(_: unknown, wait: () => Promise<T>) => wait() };
const file = async (format: 'csv' | 'paypal', exports = new Exports(newMetrics())) => {
  const load: unknown = (_: unknown, stream: string) =>
    Promise.resolve({ accountId: 'acct_1', position: '7', state: stateOf(stream) });
  const payouts = new RunPayouts({
    money: {
      settle: () => Promise.resolve(undefined),
      get: (projection) => {
        expect(projection).toBe(payoutRunsProjection);
        const totals = [{ currency: 'USD', payouts: size, amount: '1' }];
        return Promise.resolve({ value: { record: run, totals }, position: '9' as Position });
      },
      find,
    },
    // test double: no other method is called
    commands: { load } as Partial<CommandHandler> as CommandHandler,
    consistency: { readHead: () => Promise.resolve('8' as Position) },
    personalData: { openAffiliates },
  });
  const files = new RunFiles({
    payouts,
    throttledReads: new ThrottledReads(waits, { now: () => 0, sleep: () => Promise.resolve() }),
    exports,
  });
  const caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'admin' } as const;
  const call = { caller, id: run.id, query: { format } };
  return files.file(call as Partial<FileCall> as FileCall);
};
const textOf = async ({ csv }: Awaited<ReturnType<typeof file>>): Promise<string> =>
  (await csv?.toArray())?.join('') ?? '';
const redirect = (n: number): void => {
  affiliates[n] = { ...affiliate(n), email: 'mallory@example.com', payeeRevision: 4 };
};

it('sends money only to recipients that were checked, whatever happens at its first byte', async () => {
  const response = await file('paypal');
  redirect(lastOne);
  const text = await textOf(response);
  expect(text).not.toContain('mallory');
  expect(text).toContain(`checked-${lastOne}@example.com`);
  await expect(file('paypal')).rejects.toMatchObject({
    code: 'payee_changed',
    extras: { payouts: [payoutId(lastOne)] },
  });
});

it('checks a recipient that changes while the rows are read', async () => {
  beforeRow = (n) => {
    if (n === lastOne) redirect(n);
  };
  await expect(file('paypal')).rejects.toMatchObject({ code: 'payee_changed' });
});

it('writes no payout that starts to be processed after the check', async () => {
  for (const n of [5, lastOne]) payouts[n] = { ...processing(n), status: 'created' };
  const response = await file('paypal');
  payouts[5] = processing(5);
  redirect(5);
  expect((await textOf(response)).trimEnd().split('\r\n')).toHaveLength(size - 2);
});

it('is refused if the run is marked while the rows are read, and releases its export', async () => {
  const exports = new Exports(newMetrics(), { total: 1, perAccount: 1 });
  const [mark] = run.marks;
  if (mark === undefined) throw new Error('the example has no mark');
  beforeRow = (n) => {
    if (n === lastOne)
      current = { ...run, marks: [mark, { ...mark, status: 'completed', applied_at: null }] };
  };
  await expect(file('paypal', exports)).rejects.toMatchObject({ code: 'invalid_transition' });
  current = run;
  beforeRow = () => undefined;
  await expect(file('paypal', exports)).resolves.toBeDefined();
});

it('opens the affiliates of each 100 payouts in one call, and not those of other payouts', async () => {
  payouts[5] = { ...processing(5), status: 'created' };
  await file('paypal');
  expect(opened).toEqual([99, 100, 50]);
});

it('holds an export while the rows are read', async () => {
  const exports = new Exports(newMetrics(), { total: 1, perAccount: 1 });
  let other: Promise<unknown> | undefined;
  beforeRow = (n) => {
    if (n === 0)
      other = expect(file('paypal', exports)).rejects.toMatchObject({
        code: 'too_many_exports',
      });
  };
  await file('paypal', exports);
  expect(other).toBeDefined();
  await other;
});

describe('for review', () => {
  it('shows in each row a recipient together with whether it has changed', async () => {
    const response = await file('csv');
    redirect(lastOne);
    const rows = (await textOf(response)).trimEnd().split('\r\n').slice(1);
    expect(rows.at(-1)).toMatch(/mallory@example\.com.*,true$/);
    expect(rows.slice(0, -1).every((row) => row.endsWith(',false'))).toBe(true);
  });

  it('breaks off if an affiliate is deleted meanwhile', async () => {
    const response = await file('csv');
    affiliates[lastOne] = undefined;
    await expect(textOf(response)).rejects.toThrow(`the affiliate of payout ${payoutId(lastOne)}`);
    await expect(file('csv')).rejects.toMatchObject({ code: 'payee_unusable' });
  });
});
