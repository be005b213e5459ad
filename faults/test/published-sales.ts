import { plainPersonalData } from '@refledger/domain/testing';
import { openEventBus } from '@refledger/event-bus';
import { openEventLog } from '@refledger/event-log';
import { scaledTimeout, type DistributedService } from '@refledger/testing';

/**
 * Reads the ids of all sales on the bus as another team's consumer would, until there are `count`.
 */
export const publishedSales = async (
  eventLogUrl: string,
  service: DistributedService,
  count: number,
): Promise<string[]> => {
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const brokers = service.engines.find(({ engine }) => engine === 'Kafka')?.url;
  const log = await openEventLog(eventLogUrl, { dataDir: '.data', mode: 'write' });
  const bus = await openEventBus(`kafka://${brokers}`, {
    log,
    personalData: plainPersonalData,
    group: 'ledger',
    logger,
  });
  const ending = new AbortController();
  const ids: string[] = [];
  const late = setTimeout(() => ending.abort(), scaledTimeout(60_000));
  for await (const { records } of bus.consume({
    offsetOf: () => Promise.resolve(undefined),
    signal: ending.signal,
  })) {
    ids.push(
      ...records.filter(({ type }) => type === 'conversion.created').map(({ record }) => record.id),
    );
    if (ids.length >= count) ending.abort();
  }
  clearTimeout(late);
  await bus.close();
  await log.close();
  return ids;
};
