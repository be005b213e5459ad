import { AdjustmentCommands, CommandHandler, newContext } from '@refledger/application';
import { newId, type AffiliateId } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import type { Bench } from '../../bench.js';
import { rateOf } from '../../event-log/sample-events.js';
import { startService } from '../../service/service.js';
import { Shop } from '../../service/shop.js';

/** The amount of each adjustment, in minor units. */
export const amount = 250;

/** A directory in which one affiliate has many adjustments, all posted. */
export interface OwingDirectory {
  readonly path: string;
  readonly affiliate: AffiliateId;
  /** The id of its balance. */
  readonly balance: string;
  /** The sum of all adjustments so far. */
  adjusted: number;
}

export const adjustmentFor = (affiliate_id: AffiliateId) => ({
  affiliate_id,
  amount,
  currency: 'USD',
  description: 'Bonus',
});

/**
 * Makes a directory in which one affiliate has this many adjustments. They became payable on the
 * last `days` days, of which today is one.
 */
export const owingDirectory = async (
  bench: Bench,
  count: number,
  days = 1,
): Promise<OwingDirectory> => {
  const path = await bench.directory();
  const service = bench.use(await startService(path));
  const [id] = (await Shop.open(service, 1)).affiliateIds;
  // decoding boundary: the service has just created it
  const affiliate = id as AffiliateId;
  await service.caughtUp();
  await service.close();
  const log = bench.use(
    await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: path, mode: 'write' }),
  );
  const commands = new AdjustmentCommands(new CommandHandler(log));
  await rateOf(count, 1_024, (n) =>
    commands.create(
      newId('adjustment'),
      { ...adjustmentFor(affiliate), payable_on: dayBefore(n % days) },
      newContext({ accountId: firstAccountId, actor: 'bench', requestId: 'bench' }),
    ),
  );
  await log.close();
  const again = bench.use(await startService(path));
  await again.caughtUp();
  const { data } = await again.get<{ data: readonly { id: string }[] }>(
    `/v1/affiliates/${affiliate}/balances`,
  );
  await again.close();
  return { path, affiliate, balance: data[0]?.id ?? '', adjusted: count * amount };
};

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
