import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  count,
  ApiClient,
  expectStatus,
  inFull,
  startStandalone,
  testSeed,
  type ApiKey,
} from '@refledger/testing';
import { describeWithSchemathesis } from '@refledger/testing/servers';
import { isAccepted } from '../src/fuzzing/accepted-findings.js';
import { runSchemathesis } from '../src/fuzzing/schemathesis.js';

/** For a longer run: MAX_EXAMPLES=200 npx jest test/schemathesis */
const maxExamples = Number(process.env['MAX_EXAMPLES'] ?? count(3, 20));
/** Every value at the limits of each schema makes thousands of requests, so not in CI. */
const phases = ['examples', ...inFull('coverage'), 'fuzzing', 'stateful'];
/** The maximum number of keys on one page. */
const page = 100;

describeWithSchemathesis('requests that schemathesis derives from the document', (installed) => {
  it('are answered according to the document', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'refledger-schemathesis-'));
    const service = await startStandalone({
      env: {
        RATE_LIMIT_PER_MINUTE: '0',
        AUTH_FAILURES_PER_MINUTE: '0',
        // tests of endpoints wait for hosts that do not exist
        WEBHOOK_TIMEOUT: '1s',
        LOG_LEVEL: 'warn',
      },
    });
    try {
      const key = await keyAmongOthers(await ApiClient.connect(service, service.adminKey));
      const { baseUrl } = service;
      const apiKey = key.key ?? '';
      const run = await runSchemathesis({
        installed,
        directory,
        baseUrl,
        apiKey,
        seed: testSeed,
        phases,
        maxExamples,
      });
      const { complete, stop_reason, exit_code, operations, errors, test_cases } = run.summary;
      process.stdout.write(
        `      schemathesis, seed ${testSeed}: ${test_cases.generated} cases, ` +
          `${run.findings.length} findings, of which ` +
          `${run.findings.filter(isAccepted).length} are accepted (accepted-findings.ts)\n`,
      );

      expect(run.findings.filter((finding) => !isAccepted(finding))).toEqual([]);
      expect({ complete, stop_reason }).toEqual({ complete: true, stop_reason: 'completed' });
      expect(errors).toEqual([]);
      expect(operations.tested).toBe(operations.total);
      // the summary must agree with the report, from which the findings were read
      expect(exit_code).toBe(run.findings.length === 0 ? 0 : 1);
      expectStatus(200, await key.get('/v1/account'));
    } finally {
      await service.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

/**
 * Makes a key for the fuzzer. schemathesis deletes keys that it finds in a list, so this one is
 * more than a page away from either end of it.
 */
const keyAmongOthers = async (operator: ApiClient): Promise<ApiClient> => {
  const make = async (): Promise<ApiClient> => {
    const body = { name: 'one of many', scope: 'operator' };
    const { api_key } = expectStatus(201, await operator.post<ApiKey>('/v1/api-keys', body));
    return operator.withKey(api_key);
  };
  for (let n = 0; n < page; n++) await make();
  const key = await make();
  for (let n = 0; n < page; n++) await make();
  return key;
};
