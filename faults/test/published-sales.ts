import { openKafkaBus } from '@refledger/event-bus/kafka';
import { openEventStoreDbEventLog } from '@refledger/event-log/eventstoredb';
import { patient, type DistributedService } from '@refledger/testing';

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
  const brokers = service.engines.find(({ engine }) => engine === 'Kafka')?.url.split(',') ?? [];
  const log = await openEventStoreDbEventLog({ url: eventLogUrl });
  const bus = openKafkaBus({ brokers, log, group: 'ledger', logger });
  const ending = new AbortController();
  const ids: string[] = [];
  const late = setTimeout(() => ending.abort(), patient(60_000));
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
