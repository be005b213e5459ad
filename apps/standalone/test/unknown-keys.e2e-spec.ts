import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { newId } from '@refledger/contracts';
import { firstAccountId } from '@refledger/domain';
import { ApiClient, startStandalone, TestAccount, type StandaloneService } from '@refledger/testing';
import { folderWithKeys, type KeysOfAccount } from './keys-folder.js';
import { cpuSeconds } from './running-process.js';

/** The reproduction of issue 15 §1: 10,000 live keys, 1,000 revocations in the account that unknown keys name. */
const many: readonly KeysOfAccount[] = [
  { account: firstAccountId, live: 1_000, revoked: 1_000 },
  ...Array.from({ length: 9 }, () => ({ account: newId('account'), live: 1_000, revoked: 0 })),
];
const few: readonly KeysOfAccount[] = [{ account: firstAccountId, live: 10, revoked: 1 }];
const refusals = 400;

const withService = async <T>(keys: readonly KeysOfAccount[], use: (service: StandaloneService) => Promise<T>): Promise<T> => {
  const dataDir = await folderWithKeys(keys);
  const service = await startStandalone({ dataDir, env: { AUTH_FAILURES_PER_MINUTE: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' } });
  try {
    return await use(service);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true });
  }
};

/** Processor seconds of the service for refusing keys that it doesn't know, of no form and of this account's. */
const cpuOfRefusals = (keys: readonly KeysOfAccount[]): Promise<number | undefined> => withService(keys, async (service) => {
  const { api } = await TestAccount.open(service);
  const nobody = await ApiClient.of(service);
  const form = (api.key ?? '').slice(0, -8);
  const refuse = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const secret = randomBytes(4).toString('hex');
      expect((await nobody.as(n % 2 === 0 ? `${form}${secret}` : secret.repeat(4)).get('/v1/account')).status).toBe(401);
    }
  };
  await refuse(refusals);
  const before = cpuSeconds(service);
  await refuse(refusals);
  const after = cpuSeconds(service);
  return before === undefined || after === undefined ? undefined : after - before;
});

it('an unknown key costs as much among many keys and revocations as among few', async () => {
  const small = await cpuOfRefusals(few);
  const large = await cpuOfRefusals(many);
  // only Linux tells a process's time
  if (small === undefined || large === undefined) return;
  process.stdout.write(`      ${refusals} unknown keys: ${small.toFixed(2)} s of processor among few keys, ${large.toFixed(2)} s among many\n`);
  expect(large).toBeLessThan(3 * small + 0.2);
});
