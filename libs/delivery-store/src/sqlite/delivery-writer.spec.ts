import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedId, toInstant, type Position } from '@refledger/contracts';
import { openDatabase, type Database } from '@refledger/sqlite';
import { present } from '@refledger/testing/present';
import type { PlannedDelivery } from '../planner-store.js';
import type { Lease } from '../lease.js';
import { deliveryWriter, type StoreCall } from './delivery-writer.js';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-writer-'));
  file = join(directory, 'deliveries.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

const now = toInstant(Date.UTC(2026, 0, 1));
const lease: Lease = { holder: 'one', now, leaseUntil: now };
const endpointId = derivedId('endpoint', 'one');
const delivery = (n: number): PlannedDelivery => ({
  id: derivedId('delivery', String(n)),
  accountId: derivedId('account', 'one'),
  endpointId,
  eventId: derivedId('event', String(n)),
  eventType: 'conversion.created',
  objectId: 'conv_1',
  trigger: 'event',
  position: String(n) as Position,
  decidedAt: String(n) as Position,
  payload: 'full',
  body: '{}',
  status: 'waiting',
  reason: null,
});
const plan = (source: string, ...deliveries: readonly PlannedDelivery[]): StoreCall => ({
  method: 'plan',
  args: [
    { deliveries, offset: { source, partition: 'log', offset: '1' }, floor: undefined },
    lease,
  ],
});
const counts: StoreCall = { method: 'counts', args: [] };
const id: StoreCall = { method: 'id', args: [] };

/** Opens connections for the writer, and remembers them. */
const opener = () => {
  const opened: Database[] = [];
  return {
    opened,
    open: (...parameters: Parameters<typeof openDatabase>): Database =>
      present(opened[opened.push(openDatabase(...parameters)) - 1]),
  };
};

/**
 * Calls `beforeExec` before a connection executes a statement. `beforeExec` may throw to prevent
 * that.
 */
const onExec = (db: Database, beforeExec: (sql: string) => void): void => {
  const exec = db.exec.bind(db);
  Object.defineProperty(db, 'exec', {
    value: (sql: string) => {
      beforeExec(sql);
      exec(sql);
    },
  });
};

it('keeps its id when it is reopened', () => {
  const first = deliveryWriter(file);
  const [result] = first.perform([id]);
  first.close();
  const second = deliveryWriter(file);
  expect(second.perform([id])).toEqual([result]);
  second.close();
});

it('a whole group shares one transaction, in which each call sees earlier ones and fails on its own', () => {
  const { opened, open } = opener();
  const writer = deliveryWriter(file, open);
  writer.perform([id]);
  const begun: string[] = [];
  onExec(present(opened[0]), (sql) => void begun.push(sql));
  const results = writer.perform([
    plan('a', delivery(1)),
    plan('b', delivery(2), delivery(3)),
    counts,
  ]);
  expect(results).toMatchObject([
    { value: [delivery(1).id] },
    { error: { name: 'ForeignOffset' } },
    { value: { waiting: 1 } },
  ]);
  expect(begun.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
  writer.close();
});

it('a group fails as a whole if its commit fails, and the next one finds the file unchanged', () => {
  const { opened, open } = opener();
  const writer = deliveryWriter(file, open);
  writer.perform([plan('a', delivery(1))]);
  onExec(present(opened[0]), (sql) => {
    if (sql === 'COMMIT')
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
  });
  expect(writer.perform([plan('a', delivery(2)), counts])).toMatchObject([
    { error: { fault: 'io' } },
    { error: { fault: 'io' } },
  ]);
  expect(writer.perform([counts])).toMatchObject([{ value: { waiting: 1 } }]);
  expect(opened).toHaveLength(2);
  writer.close();
});

it('a store that was removed while it was in use does not start again, empty', () => {
  const { opened, open } = opener();
  const writer = deliveryWriter(file, open);
  writer.perform([id]);
  rmSync(file);
  onExec(present(opened[0]), (sql) => {
    if (sql === 'COMMIT')
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
  });
  expect(writer.perform([counts])).toMatchObject([{ error: { fault: 'io' } }]);
  expect(writer.perform([counts])).toMatchObject([{ error: { fault: 'corrupt' } }]);
  expect(existsSync(file)).toBe(false);
  writer.close();
});
