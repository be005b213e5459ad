/// <reference types="jest" />
import { comparePositions, newId } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import type { Offset } from '../event-bus.js';
import { eventually, type BusUnderTest } from './under-test.js';

/** Tests the end that the bus reports. */
export const end = (at: BusUnderTest): void =>
  describe('the end', () => {
    it('is reached once every record up to its position has arrived', async () => {
      expect(await at.fixture.bus.end()).toEqual(
        at.fixture.bus.capabilities.inLogOrder
          ? expect.objectContaining({ position: await at.fixture.log.head() })
          : undefined,
      );
      const affiliates = Array.from({ length: 5 }, () => newId('affiliate'));
      for (const affiliate of affiliates) await at.writer.createAffiliate(affiliate);
      const last = present(await at.fixture.log.head());
      await at.writer.createAccount('one');
      const head = await at.fixture.log.head();
      const end = await eventually(async () => {
        const now = await at.fixture.bus.end();
        expect(now).toMatchObject({ position: head });
        return present(now);
      });
      expect(comparePositions(present(end.lastRecord), last)).toBeGreaterThanOrEqual(0);
      const reached = new Map<string, Offset>();
      let count = 0;
      for await (const { records, offset } of at.consume()) {
        count += records.length;
        reached.set(offset.partition, offset);
        if (
          end.offsets.every(
            ({ partition, offset }) =>
              BigInt(reached.get(partition)?.offset ?? -1) >= BigInt(offset),
          )
        )
          break;
      }
      expect(count).toBe(affiliates.length);
    });
  });
