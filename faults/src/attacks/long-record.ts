import { TestAccount } from '@refledger/testing';
import type { Attack, AttackRequest } from './attack.js';
import { sendInTurn } from './connections.js';

/** Few enough that the attack ends before the 10,000 revisions that a record may have. */
const revisions = 2_400;

/** Changes a record that has already been changed thousands of times. */
export const longRecord: Attack = {
  name: 'changes to a long record',
  perSecond: 100,
  connections: 8,
  responses: [200],
  responseBytes: 1_000,
  seed: async (service) => {
    const { account, affiliate } = await TestAccount.withAffiliate(service);
    const apiKey = account.api.key ?? '';
    const path = `/v1/conversions/${(await account.conversion(affiliate.id)).id}`;
    const past = Array.from({ length: revisions }, (_, n) => change({ apiKey, path }, `seed ${n}`));
    await sendInTurn(service.baseUrl, past);
    return { apiKey, path };
  },
  sender: (seeded, send) => async (n) => (await send(n, change(seeded, `attack ${n}`))).status,
};

const change = (
  { apiKey, path }: { readonly apiKey: string; readonly path: string },
  value: string,
): AttackRequest => ({ method: 'PATCH', path, apiKey, json: { metadata: { value } } });
