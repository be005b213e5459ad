import { openDatabase, type Database } from '@refledger/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listsWithOneFilter } from '../conformance/one-filter.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { planOf, type DeliveryQuery } from '../delivery-query.js';
import { rangeStatement } from './lists.js';
import { replayStatements } from './replays.js';
import { statementsOf } from './statements.js';
import { statisticsStatements } from './statistics.js';

let directory: string;
let db: Database;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-plans-'));
  const file = join(directory, 'deliveries.db');
  db = openDatabase(file, { format: deliveryStoreFormat, synchronous: 'normal' });
});
afterAll(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

const queryPlanOf = (sql: string): readonly string[] =>
  db
    .prepare<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);

it('every statement uses an index', () => {
  const all = { ...statementsOf, ...replayStatements, ...statisticsStatements };
  for (const [name, sql] of Object.entries(all)) {
    const plan = queryPlanOf(sql);
    const scans = plan.filter(
      (line) =>
        /SCAN (deliveries|bodies|replays|statistics)/.test(line) &&
        !/USING (COVERING )?INDEX (deliveries_(waiting|sending|tests|replaying)|replays_(running|unsettled))/.test(
          line,
        ),
    );
    expect({ name, scans }).toEqual({ name, scans: [] });
    // it sorts a few endpoints, not deliveries
    if (name === 'endpointsUnfinished') continue;
    expect({
      name,
      sorts: plan.filter((line) => line.includes('TEMP B-TREE FOR ORDER BY')),
    }).toEqual({ name, sorts: [] });
  }
});

/** The bounds that a plan names. After a cursor, these are only the ones at the end of the list. */
const boundsIn = ({ order, after, ...query }: DeliveryQuery): readonly string[] => {
  const lower = [query.finishedAfter && 'finished_at>?', query.createdAfter && 'created_at>?'];
  const upper = [query.createdBefore && 'created_at<?'];
  const bounds = after === undefined ? [...lower, ...upper] : order.descending ? lower : upper;
  return bounds.filter((bound) => bound !== undefined);
};

it.each(listsWithOneFilter)('$name: reads one range of an index', ({ query, sorts }) => {
  const { order, after } = query;
  const [search, ...more] = queryPlanOf(rangeStatement(planOf(query).range).sql);
  expect(search).toMatch(/^SEARCH deliveries USING INDEX list_\w+ \(/);
  expect(more).toEqual(sorts ? ['USE TEMP B-TREE FOR ORDER BY'] : []);
  if (sorts) return;
  if (after !== undefined)
    expect(search).toContain(`(${order.by},id)${order.descending ? '<' : '>'}(?,?)`);
  const bounds = boundsIn(query);
  const named = search?.match(/\w+_at[<>]\?/g) ?? [];
  expect(named).toEqual(expect.arrayContaining([...bounds]));
  if (order.by === 'created_at') expect(named).toHaveLength(bounds.length);
});
