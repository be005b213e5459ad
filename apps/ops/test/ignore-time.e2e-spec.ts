import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, streams, type AdjustmentId, type Position } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import {
  day,
  eventually,
  MovableClock,
  scaledTimeout,
  startStandalone,
  TestAccount,
  type Adjustment,
  type Balance,
  type Page,
  type Statement,
} from '@refledger/testing';
import { jsonLines, ops, withoutProgress } from './ops-process.js';

const containing = (text: string): string => expect.stringContaining(text) as string;

let directory: string;
let clock: MovableClock;
let service: Awaited<ReturnType<typeof startStandalone>>;
let account: TestAccount;
let first: Adjustment;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-ignore-'));
  clock = new MovableClock(`${directory}.clock`);
  service = await startStandalone({ dataDir: directory, env: clock.env });
  account = await TestAccount.open(service);
  const { id } = await account.affiliate();
  first = await account.adjustment(id, { amount: 1, currency: 'USD' });
}, scaledTimeout(60_000));
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
  rmSync(`${directory}.clock`);
});

/**
 * Records the same adjustment again, as a gateway whose clock is ahead would. No service may run.
 */
const adjustAhead = async (recorded_at: string): Promise<Position> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
  try {
    const adjustment_id = newId('adjustment');
    for await (const [event] of log.readStream(streams.adjustment(first.id as AdjustmentId))) {
      if (event === undefined) break;
      const { type, metadata } = event;
      const copy = {
        id: randomUUID(),
        type,
        data: { ...(event.data as object), adjustment_id },
        metadata: { ...metadata, recorded_at },
      };
      const { position } = await log.append(streams.adjustment(adjustment_id), [copy], 'no stream');
      if (position !== undefined) return position;
    }
    throw new Error('the adjustment was not recorded');
  } finally {
    await log.close();
  }
};

const ready = async () => (await fetch(`${service.opsUrl}/health/ready`)).json() as Promise<object>;
const aheadSeconds = async (): Promise<number> => {
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  return Number(/^refledger_ledger_log_time_ahead_seconds (.*)$/m.exec(metrics)?.[1]);
};
/** The times at which entries were posted. */
const postedAt = async (): Promise<readonly string[]> =>
  jsonLines(await ops(directory, 'tail', '--json', '--type', 'balance.posted')).map(({ data }) =>
    String(data['posted_at']),
  );

/** The position that readiness names, once posting has stopped because a clock is ahead. */
const stoppedAt = (): Promise<Position> =>
  eventually(
    async () => {
      const [position] = /(?<=ops ignore-time )\d+/.exec(JSON.stringify(await ready())) ?? [];
      expect(position).toBeDefined();
      return position as Position;
    },
    { timeoutMs: scaledTimeout(60_000) },
  );
const balances = () =>
  account.api.get<Page<Balance>>(`/v1/affiliates/${first.affiliate_id}/balances`);
const monthOf = ({ created_at }: Adjustment): string => created_at.slice(0, 7);
const statement = async (balance: string, month: string) =>
  (await account.api.get<Statement>(`/v1/balances/${balance}/statement?month=${month}`)).body;

/** Nothing is changed without a confirmation, or by a position that does not count. */
const refusesToIgnore = async (position: Position): Promise<void> => {
  expect(await ops(directory, 'ignore-time', '1', '--yes')).toMatchObject({
    code: 2,
    err: containing('this event does not count for log time'),
  });
  expect(await ops(directory, 'ignore-time', '999999')).toMatchObject({
    code: 1,
    err: containing('the log has no event at position 999999'),
  });
  expect(await ops(directory, 'ignore-time', position)).toMatchObject({
    code: 2,
    out: expect.stringMatching(
      /log time falls from .* \(by 40\.0 days\)\n2 events recorded at .* no longer count for it:\n.*\n.*adjustment\.created.*\n.*balance\.posted/,
    ) as string,
    err: containing('nothing was changed'),
  });
};

it(
  'a wrong clock that everything shared stops posting once it is right, until its time is excluded',
  async () => {
    await clock.moveTo(40 * day);
    const ahead = await account.adjustment(first.affiliate_id, { amount: 2, currency: 'USD' });
    expect((await balances()).body.data).toMatchObject([{ entries: 2, adjusted: 3 }]);
    await clock.moveTo(0);

    const position = await stoppedAt();
    await eventually(() =>
      expect(service.logs()).toContain(`posting has stopped at position ${position}. First of all`),
    );
    expect(JSON.stringify(await ready())).toContain(`it was recorded at ${ahead.created_at}`);
    expect(await aheadSeconds()).toBeGreaterThan(39 * 24 * 3_600);
    // what is posted still reads, but is not final; what waits for posting does not
    const { body } = await balances();
    expect(body.data).toMatchObject([{ entries: 2, adjusted: 3 }]);
    const balance = body.data[0]?.id ?? '';
    expect(await statement(balance, monthOf(first))).toMatchObject({ final: false, closing: 1 });
    const later = await account.adjustment(first.affiliate_id, { amount: 3, currency: 'USD' });
    expect((await balances()).status).toBe(503);
    const asOf = `/v1/adjustments/${later.id}?as_of=${later.created_at}`;
    expect((await account.api.get(asOf)).status).toBe(404);

    await refusesToIgnore(position);
    expect(await ops(directory, 'ignore-time', position, '--yes')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /\nignored for log time: .* or later\. Posting continues\n$/,
      ) as string,
    });
    await eventually(async () => expect(await ready()).toMatchObject({ ready: true }));
    expect((await balances()).body.data).toMatchObject([{ entries: 3, earned: 0, adjusted: 6 }]);
    const posted = await postedAt();
    expect(posted.filter((at) => at > later.created_at)).toEqual([ahead.created_at]);
    expect(await aheadSeconds()).toBe(0);
    expect((await account.api.get(asOf)).status).toBe(200);
    const { closing, data } = await statement(balance, monthOf(later));
    const own = [first, later].filter((each) => monthOf(each) === monthOf(later));
    expect(data.map(({ amount }) => amount)).toEqual(own.map(({ amount }) => amount));
    expect(closing).toBe(4);

    expect(await ops(directory, 'ignore-time', position)).toMatchObject({
      code: 0,
      out: containing('log time already ignores this event'),
    });
    expect(withoutProgress(await ops(directory, 'verify', '--ledger'))).toMatchObject({ code: 0 });
    await eventually(async () =>
      expect((await ops(directory, 'verify', 'minute_index')).code).toBe(0),
    );
  },
  scaledTimeout(180_000),
);

it(
  'without the read models, posting starts again and posts nothing twice',
  async () => {
    await service.kill();
    for (const file of readdirSync(directory))
      if (file.startsWith('read-models.db')) rmSync(join(directory, file));
    await service.start();
    await eventually(async () => expect(await ready()).toMatchObject({ ready: true }));
    await eventually(async () =>
      expect((await balances()).body.data).toMatchObject([{ entries: 3, adjusted: 6 }]),
    );
    expect(await postedAt()).toHaveLength(3);
    expect(withoutProgress(await ops(directory, 'verify', '--ledger'))).toMatchObject({ code: 0 });
  },
  scaledTimeout(180_000),
);

it(
  'a time that is years ahead, or that is not ahead of this machine, is excluded only with --force',
  async () => {
    await service.kill();
    const position = await adjustAhead('2099-01-01T00:00:00.000Z');
    expect(await ops(directory, 'ignore-time', position, '--yes')).toMatchObject({
      code: 2,
      err: containing('log time would fall by more than 400 days'),
    });
    expect(await ops(directory, 'ignore-time', position, '--yes', '--force')).toMatchObject({
      code: 0,
      out: containing('Posting continues at its next start'),
    });
    const soon = await adjustAhead(new Date(Date.now() + 9 * 60_000).toISOString());
    expect(await ops(directory, 'ignore-time', soon, '--yes')).toMatchObject({
      code: 2,
      err: containing('more than 10 minutes ahead of the clock of this machine'),
    });
    await service.start();
    await eventually(async () => expect(await ready()).toMatchObject({ ready: true }));
    expect((await balances()).body.data).toMatchObject([{ entries: 5, adjusted: 8 }]);
  },
  scaledTimeout(180_000),
);
