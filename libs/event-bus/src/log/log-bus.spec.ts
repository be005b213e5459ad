import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError, newId, type OpenAffiliateRecord } from '@refledger/contracts';
import { LosableKeys, plainPersonalData } from '@refledger/domain/testing';
import { openSqliteEventLog } from '@refledger/event-log/sqlite';
import { EventWriter } from '../conformance/sample-events.js';
import { eventBusConformance, type EventBusFixture } from '../conformance/index.js';
import type { Offset } from '../event-bus.js';
import { openLogBus, type LogBusOptions } from './log-bus.js';

const fixture =
  (options: Partial<LogBusOptions> = {}) =>
  async (): Promise<EventBusFixture> => {
    const directory = mkdtempSync(join(tmpdir(), 'refledger-bus-'));
    const log = await openSqliteEventLog({ file: join(directory, 'events.db'), mode: 'write' });
    return {
      log,
      bus: openLogBus({ log, personalData: plainPersonalData, ...options }),
      async destroy() {
        await log.close();
        rmSync(directory, { recursive: true });
      },
    };
  };

eventBusConformance('log', fixture());
eventBusConformance('log, with a cache that evicts nearly everything', fixture({ cacheSize: 1 }));

it('fails while the personal values of a record do not open, and delivers it to a consumer that comes again', async () => {
  const personalData = new LosableKeys();
  const fixed = await fixture({ personalData })();
  const { log, bus } = fixed;
  const writer = new EventWriter(log);
  const [one, other] = [newId('affiliate'), newId('affiliate')];
  const names: string[] = [];
  let offset: Offset | undefined;
  const consume = async (enough: number): Promise<void> => {
    const offsetOf = () => Promise.resolve(offset);
    for await (const batch of bus.consume({ offsetOf, signal: new AbortController().signal })) {
      names.push(...batch.records.map(({ record }) => (record as OpenAffiliateRecord).name));
      ({ offset } = batch);
      if (names.length >= enough) break;
    }
  };
  await writer.createAffiliate(one, 'first');
  await consume(1);

  personalData.isLost = true;
  const before = offset;
  await writer.createAffiliate(other, 'second');
  await writer.renameAffiliate(one, 'third');
  // no `UnreadableEvent`, which an operator could skip
  await expect(consume(3)).rejects.toThrow(DomainError);
  expect([names, offset]).toEqual([['first'], before]);

  personalData.isLost = false;
  await consume(3);
  expect(names).toEqual(['first', 'second', 'third']);
  await fixed.destroy();
});
