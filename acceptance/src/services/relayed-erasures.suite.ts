/// <reference types="jest" />
import { type DistributedService, expectStatus, TestAccount } from '@refledger/testing';
import { openRawKafka } from '@refledger/testing/kafka';

/**
 * Tests what consumers of Kafka get of erased affiliates. Needs a service over Kafka that has no
 * other affiliates yet.
 */
export const relayedErasuresSuite = (start: () => Promise<DistributedService>): void =>
  describe('the affiliates on Kafka', () => {
    it('are told to be erased, and events relayed after that have nulls', async () => {
      const service = await start();
      const account = await TestAccount.open(service);
      const relay = service.roles.find(({ role }) => role === 'relay');
      const known = await account.affiliate({ external_id: 'crm-1', metadata: { note: 'a' } });
      await service.caughtUp();
      await relay?.kill();
      const late = await account.affiliate({ external_id: 'crm-2', metadata: { note: 'b' } });
      for (const { id } of [known, late])
        expectStatus(200, await account.api.post(`/v1/affiliates/${id}/erase`, undefined));
      await relay?.start();

      const relayed = new Map<string, [type: string, record: object][]>();
      await openRawKafka(service.engines[2]?.url ?? '').consume(
        'refledger.affiliates',
        2 * types.length,
        ({ key, headers, value }) => {
          const record = JSON.parse(String(value)) as object;
          const before = relayed.get(String(key)) ?? [];
          relayed.set(String(key), [...before, [String(headers?.['ce_type']), record]]);
        },
      );
      const erased = types.map((type) => [type, expect.objectContaining(nulls) as object]);
      expect(relayed.get(late.id)).toEqual(erased);
      expect(relayed.get(known.id)).toEqual([[types[0], known], ...erased.slice(1)]);
    });
  });

const types = ['affiliate.created', 'affiliate.deleted', 'affiliate.erased'] as const;
const nulls = { email: null, name: null, external_id: null, metadata: {} };
