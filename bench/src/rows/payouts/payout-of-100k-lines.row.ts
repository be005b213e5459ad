import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, Page, Payout } from '@refledger/testing';
import { request } from 'undici';
import type { Bench } from '../../bench.js';
import type { Figures, Goal, Row, Rounds } from '../../row.js';
import { apiKey } from '../../service/api.js';
import { residentMb } from '../../service/process-use.js';
import { startService, type Service } from '../../service/service.js';
import { owingDirectory, type OwingDirectory } from '../ledger/owing-directory.js';
import { cancel, pay } from './payouts.js';

const lines = { few: 10_000, many: 100_000 };
/** The number of days on which the lines became payable. */
const days = 300;
/** A line must not cost more because there are ten times as many. */
const perLine: Goal = { of: 'ratio', atLeast: 0.8 };

/** A payout of very many lines: making it, and reading all its lines, as pages and as CSV. */
export const payoutOf100kLines: Row = {
  name: 'payout-of-100k-lines',
  title: 'a payout of 100,000 lines',
  yardstick: 'one of ten thousand',
  onlyByName: true,
  figures: [
    { name: 'POST', unit: 'ms', goals: [{ of: 'figure', atMost: 1_000 }] },
    { name: 'lines in pages', unit: '/s', goals: [perLine] },
    { name: 'lines as CSV', unit: '/s', goals: [perLine] },
    { name: 'memory during CSV', unit: 'MB', goals: [{ of: 'ratio', atMost: 1.2 }] },
  ],
  prepare: async (bench) => {
    const few = await servedDirectory(bench, bench.count(lines.few));
    const many = await servedDirectory(bench, bench.count(lines.many));
    return { measure: many.measure, yardstick: few.measure };
  },
};

const servedDirectory = async (bench: Bench, count: number): Promise<Pick<Rounds, 'measure'>> => {
  const directory = await owingDirectory(bench, count, days);
  return { measure: () => payoutOf(count, directory, bench) };
};

const payoutOf = async (
  count: number,
  directory: OwingDirectory,
  bench: Bench,
): Promise<Figures> => {
  const service = bench.use(await startService(directory.path));
  await service.caughtUp();
  const { payout, ms: POST } = await pay(service, directory);
  if (payout.entry_count !== count)
    throw new Error(`${count} lines were payable, but ${payout.id} has ${payout.entry_count}`);
  await service.caughtUp();
  const pages = await perSecond(count, () => readPages(service, payout));
  let memory = 0;
  const csv = await perSecond(count, async () => void (memory = await readCsv(service, payout)));
  await cancel(service, payout);
  await service.close();
  return {
    POST,
    'lines in pages': pages,
    'lines as CSV': csv,
    'memory during CSV': memory,
  };
};

const perSecond = async (count: number, read: () => Promise<void>): Promise<number> => {
  const begin = performance.now();
  await read();
  return count / ((performance.now() - begin) / 1_000);
};

/** Throws unless the lines of all pages add up to the payout's amount. */
const readPages = async (service: Service, { id, amount }: Payout): Promise<void> => {
  let sum = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page<Entry> = await service.get(
      `/v1/payouts/${id}/entries?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    sum += page.data.reduce((total, line) => total + line.amount, 0);
    cursor = page.next_cursor;
  }
  if (sum !== amount) throw new Error(`${id} is ${amount}, but its pages add up to ${sum}`);
};

/** Reads the CSV as it is streamed. Returns the most memory that the service held meanwhile. */
const readCsv = async (service: Service, { id, entry_count }: Payout): Promise<number> => {
  const { statusCode, body } = await request(
    `${service.baseUrl}/v1/payouts/${id}/entries?format=csv`,
    { headers: { authorization: `Bearer ${apiKey}` } },
  );
  let isReading = true;
  let most = residentMb(service.pid);
  const watched = (async () => {
    for (; isReading; await sleep(20)) most = Math.max(most, residentMb(service.pid));
  })();
  let rows = -1;
  // decoding boundary: undici types chunks as any
  for await (const chunk of body as AsyncIterable<Buffer>)
    for (const byte of chunk) if (byte === newline) rows += 1;
  isReading = false;
  await watched;
  if (statusCode !== 200 || rows !== entry_count)
    throw new Error(`the CSV of ${id} has ${rows} of ${entry_count} lines (${statusCode})`);
  return most;
};

const newline = 10;
