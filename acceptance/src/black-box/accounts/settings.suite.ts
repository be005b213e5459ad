/// <reference types="jest" />
import { affiliateBody, expectStatus, type ServiceFactory, TestAccount } from '@refledger/testing';
import { expectProblem } from '../expect-problem.js';
import { imported, sendImport } from '../payouts/sent-import.js';

export const strictSettings = {
  PROGRAM_AUTO_REGISTER: 'false',
  MAX_BODY_BYTES: '2000',
  IMPORT_MAX_BYTES: '4000',
};

/** Tests settings that change what the contract allows, on a service with `strictSettings`. */
export const settingsSuite = (service: ServiceFactory): void => {
  describe('a service with other settings', () => {
    let account: TestAccount;
    beforeAll(async () => void (account = await TestAccount.open(await service())));

    it('rejects an unregistered program with 422 program_not_found, and stores nothing', async () => {
      const body = affiliateBody();
      for (let n = 0; n < 2; n++)
        expectProblem(await account.api.post('/v1/affiliates', body), 422, 'program_not_found');
      expect(await account.all('/v1/affiliates')).toEqual([]);
    });

    it('accepts bodies up to its own limit', async () => {
      const padded = (bytes: number) => ({
        body: `{"nonsense":1${' '.repeat(bytes - 14)}}`,
        headers: { 'content-type': 'application/json' },
      });
      expectProblem(
        await account.api.send('POST', '/v1/affiliates', padded(2_000)),
        422,
        'validation_failed',
      );
      expectProblem(
        await account.api.send('POST', '/v1/affiliates', padded(2_001)),
        413,
        'payload_too_large',
      );
    });

    it('accepts imports up to a limit of their own: larger ones that declare their size are refused at once', async () => {
      const line = '{"payout_id":"pay_1","status":"completed"}'.padEnd(999);
      const whole = `${line}\n`.repeat(4);
      expect((await imported(account.api, whole)).end).toMatchObject({ lines: 4, failed: 4 });
      expectProblem(await sendImport(account.api, `${whole}\n`), 413, 'payload_too_large');
    });

    it('processes the lines of an import that are within the limit, and says that there were more', async () => {
      const line = '{"payout_id":"pay_1","status":"completed"}'.padEnd(900);
      async function* lines(): AsyncGenerator<Buffer> {
        for (let n = 0; n < 100; n++) yield await Promise.resolve(Buffer.from(`${line}\n`));
      }
      const { results, end } = await imported(account.api, lines);
      expect(results.map(({ line: number }) => number)).toEqual([1, 2, 3, 4]);
      expect(end).toMatchObject({ lines: 4, problem: { status: 413, code: 'payload_too_large' } });
    });

    it('still serves other requests', async () => {
      expectStatus(200, await account.api.get('/v1/account'));
    });
  });
};
