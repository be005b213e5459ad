import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BalanceReader, ledgerParts, postingName } from '@refledger/balances';
import { conversionSchema, newId, streams, type StreamName } from '@refledger/contracts';
import { balanceIdOf } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type EventLog } from '@refledger/event-log';
import { newMetrics, startBatches, type PartHealth } from '@refledger/platform';
import { openKeyStore, type KeyStore } from '@refledger/key-store';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { eventually } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { startLedger } from '../src/index.js';

const account = 'acct_1';
const affiliate = newId('affiliate');
const balance = balanceIdOf(account, affiliate, 'USD');
const directory = mkdtempSync(join(tmpdir(), 'refledger-ledger-'));
const metrics = newMetrics();
const reported: PartHealth[] = [];
const errors: string[] = [];
const logger = {
  info: () => undefined,
  warn: () => undefined,
  error: (_: object, message: string) => void errors.push(message),
};
let log: EventLog;
let store: ReadStore;
let keys: KeyStore;
let ledger: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
  store = await openReadStore(embeddedUrls.READ_STORE_URL, { dataDir: directory, mode: 'write' });
  const report = (part: PartHealth) => void reported.push(part);
  keys = await openKeyStore(embeddedUrls.KEY_STORE_URL, { dataDir: directory, create: true });
  ledger = await startLedger({ log, store, keys, logger, metrics, report, startBatches });
});
afterAll(async () => {
  await ledger.close();
  await keys.close();
  await store.close();
  await log.close();
  rmSync(directory, { recursive: true });
});

const append = async (stream: StreamName, type: string, data: object) => {
  const { position } = await log.append(
    stream,
    [
      {
        id: randomUUID(),
        type,
        data,
        metadata: {
          account_id: account,
          actor: 'key_1',
          request_id: 'r',
          schema: 1,
          recorded_at: new Date().toISOString(),
        },
      },
    ],
    'no stream',
  );
  return present(position);
};

/** Records a sale that is approved at once and earns its commission. */
const sell = (commission_amount: number) => {
  const conversion_id = newId('conversion');
  const { commission, payable_on, occurred_at } = conversionSchema.meta()?.example as Example;
  return append(streams.conversion(conversion_id), 'conversion.created', {
    conversion_id,
    affiliate_id: affiliate,
    program_id: 'prog_a',
    sale_currency: 'USD',
    occurred_at,
    payable_on,
    after: {
      status: 'approved',
      sale_amount: 10_000,
      refunded_amount: 0,
      commission_amount,
      commission,
      reason: null,
      metadata: {},
    },
  });
};
type Example = Readonly<Record<'commission' | 'payable_on' | 'occurred_at', unknown>>;

const earned = async () => (await new BalanceReader(log).load(balance))?.state.earned;
const measured = async (name: string) => {
  ledger.measure();
  return (await metrics.registry.getSingleMetricAsString(name)).split('\n').slice(2).join('\n');
};

const lastReport = (part: string) => reported.findLast((health) => health.part === part);

it('posts commissions through Nest, and counts the entries', async () => {
  await sell(990);
  await sell(10);

  await eventually(async () => {
    expect(await earned()).toBe(1_000n);
    for (const part of ledgerParts)
      expect(lastReport(part)).toEqual({ part, ready: true, detail: 'live' });
    expect(await measured('refledger_ledger_entries_total')).toBe(
      'refledger_ledger_entries_total 2',
    );
    expect(await measured('refledger_ledger_conflicts_total')).toBe(
      'refledger_ledger_conflicts_total 0',
    );
  });
});

it('counts its conflicts with another writer of the balance', async () => {
  const { state } = present(await new BalanceReader(log).load(balance));
  const stream = streams.balance(balance, '0');
  const last = present((await readAll(stream)).at(-1));
  await log.append(
    stream,
    [
      {
        id: randomUUID(),
        type: 'balance.posted',
        data: { ...(last.data as object), number: state.number + 1, amount: 5 },
        metadata: last.metadata,
      },
    ],
    last.revision,
  );
  await sell(85);

  await eventually(async () => {
    expect(await earned()).toBe(1_090n);
    expect(await measured('refledger_ledger_conflicts_total')).toBe(
      'refledger_ledger_conflicts_total 1',
    );
  });
});

it('stops at a poison event, which Nest passes on unchanged, until it is skipped', async () => {
  const position = await append(streams.conversion(newId('conversion')), 'conversion.unheard', {});
  await sell(7);
  await eventually(() =>
    expect(errors).toEqual([expect.stringContaining(`ops skip posting ${position}`)]),
  );
  expect(lastReport(postingName)).toMatchObject({
    ready: false,
    detail: expect.stringContaining('conversion.unheard') as string,
  });
  expect((await measured('refledger_processor_stopped')).split('\n')).toEqual([
    'refledger_processor_stopped{processor="posting"} 1',
    'refledger_processor_stopped{processor="paid-status"} 0',
    'refledger_processor_stopped{processor="runs"} 0',
    'refledger_processor_stopped{processor="erasures"} 0',
  ]);

  await append(streams.processor(postingName), 'processor.skipped', {
    processor: postingName,
    event_id: present(await log.eventAt(position)).id,
    position,
  });

  await eventually(async () => expect(await earned()).toBe(1_097n));
});

const readAll = async (stream: StreamName) => {
  const all = [];
  for await (const events of log.readStream(stream)) all.push(...events);
  return all;
};
