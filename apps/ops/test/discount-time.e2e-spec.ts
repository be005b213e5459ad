import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, streams, type AdjustmentId, type Position } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import {
  eventually,
  scaledTimeout,
  startStandalone,
  TestAccount,
  type Adjustment,
  type Balance,
  type Page,
} from '@refledger/testing';
import { jsonLines, ops, withoutProgress } from './ops-process.js';

const containing = (text: string): string => expect.stringContaining(text) as string;

let folder: string;
let service: Awaited<ReturnType<typeof startStandalone>>;
let account: TestAccount;
let first: Adjustment;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'refledger-discount-'));
  service = await startStandalone({ dataDir: folder });
  account = await TestAccount.open(service);
  const { id } = await account.affiliate();
  first = await account.adjustment(id, { amount: 1, currency: 'USD' });
}, scaledTimeout(60_000));
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/**
 * Records the same adjustment again, as a gateway whose clock is ahead would. No service may run.
 */
const adjustAhead = async (recorded_at: string): Promise<Position> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: folder, mode: 'write' });
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
  jsonLines(await ops(folder, 'tail', '--json', '--type', 'balance.posted')).map(({ data }) =>
    String(data['posted_at']),
  );

it(
  'a running service continues posting despite a wrong clock, and neither entries nor as_of follow it',
  async () => {
    await account.api.get<Page<Balance>>(`/v1/affiliates/${first.affiliate_id}/balances`);
    expect(await ops(folder, 'discount-time', '5')).toMatchObject({
      code: 2,
      err: containing('posting has not stopped at this event'),
    });
    await service.kill();
    const position = await adjustAhead('2099-01-01T00:00:00.000Z');
    await service.start();

    await eventually(async () =>
      expect(JSON.stringify(await ready())).toContain(`ops discount-time ${position}`),
    );
    expect(service.logs()).toContain(
      `posting has stopped at position ${position}. Correct the clock`,
    );
    expect(await aheadSeconds()).toBeGreaterThan(3_600);
    const later = await account.adjustment(first.affiliate_id, { amount: 3, currency: 'USD' });
    const asOf = `/v1/adjustments/${later.id}?as_of=${later.created_at}`;
    expect((await account.api.get(asOf)).status).toBe(404);

    expect(await ops(folder, 'discount-time', '1')).toMatchObject({
      code: 2,
      err: containing(`it continues with position ${position}`),
    });
    expect(await ops(folder, 'discount-time', '999999')).toMatchObject({
      code: 1,
      err: containing('the log has no event at position 999999'),
    });
    expect(await ops(folder, 'discount-time', position)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /adjustment\.created[^]*\nexcluded from log time: .* 2099-01-01T00:00:00.000Z or later\. Posting continues\n$/,
      ) as string,
    });
    await eventually(async () => expect(await ready()).toMatchObject({ ready: true }));
    const balances = await account.api.get<Page<Balance>>(
      `/v1/affiliates/${first.affiliate_id}/balances`,
    );
    expect(balances.body.data).toMatchObject([{ entries: 3, earned: 0, adjusted: 5 }]);
    const posted = await postedAt();
    expect([posted.length, posted.filter((at) => at > later.created_at)]).toEqual([3, []]);
    expect(await aheadSeconds()).toBe(0);
    expect((await account.api.get(asOf)).status).toBe(200);

    expect(await ops(folder, 'discount-time', position)).toMatchObject({
      code: 0,
      out: containing('this event is already excluded from log time'),
    });
    expect(withoutProgress(await ops(folder, 'verify', '--ledger'))).toMatchObject({ code: 0 });
    await eventually(async () =>
      expect((await ops(folder, 'verify', 'minute_marks')).code).toBe(0),
    );
  },
  scaledTimeout(120_000),
);

it(
  'refuses an event that posting passes by itself',
  async () => {
    await service.kill();
    const position = await adjustAhead(new Date(Date.now() + 10 * 60_000 + 30_000).toISOString());
    const { code, err } = await ops(folder, 'discount-time', position);
    expect([code, err]).toEqual([
      2,
      containing("posting has not stopped because of this event's time"),
    ]);
    await service.start();
  },
  scaledTimeout(120_000),
);
