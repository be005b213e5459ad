/// <reference types="jest" />
import { existsSync, renameSync } from 'node:fs';
import { dataDirectory } from '@refledger/engines';
import { jsonLines } from './ops-process.js';
import { runInProcess } from './run-in-process.js';
import { ids, type SampleDirectory } from './sample-directory.js';
import { newSecretsKey } from './rewrapped-keys.suite.js';

/** Tests `--personal`. The keys of the sample must be wrapped under the new key. */
export const personalSuite = (sample: () => SampleDirectory): void =>
  describe('--personal', () => {
    const run = (secretsKey: string | undefined, ...args: readonly string[]) =>
      runInProcess(args, {
        env: {
          DATA_DIR: sample().path,
          ...(secretsKey !== undefined && { SECRETS_KEY: secretsKey }),
        },
      });
    const opened = (...args: readonly string[]) =>
      run(newSecretsKey.toString('base64'), ...args, '--personal');

    it('show prints the values of an affiliate, and which changed', async () => {
      const ended = await opened('show', ids.affiliate);
      expect(ended).toMatchObject({ code: 0, err: expect.not.stringContaining('ops:') as string });
      for (const line of [
        'email: ada@example.com',
        'external_id: crm-7',
        'name: "Ada Lovelace"',
        'metadata.tier: gold',
        'name: "Ada Lovelace" → "Ada King"',
      ])
        expect(ended.out).toContain(`    ${line}\n`);
      expect(ended.out).not.toContain('sealed');
      const json = jsonLines(await opened('show', ids.affiliate, '--json'));
      expect(json.map(({ data }) => data['sealed'])).toMatchObject([
        { email: 'ada@example.com', name: 'Ada Lovelace' },
        { email: 'ada@example.com', name: 'Ada Lovelace' },
        { email: 'ada@example.com', name: 'Ada King' },
      ]);
    });

    it('tail prints them too, and other events as before', async () => {
      const ended = await opened('tail', '--account', ids.account);
      expect(ended.out).toMatch(/affiliate\.updated .* name "Ada Lovelace" → "Ada King"$/m);
      expect(ended.out).toContain('secret [sealed] → [sealed]');
    });

    it('names the key store where a key does not open, shows the rest, and exits with 1', async () => {
      // the key of the directory, which is not the one that wraps the sample's keys now
      const ended = await run(undefined, 'tail', '--account', ids.account, '--personal');
      expect(ended.code).toBe(1);
      expect(ended.out).toMatch(
        new RegExp(`affiliate\\.updated .* sealed "The personal data of ${ids.affiliate} does not`),
      );
      expect(ended.out).toContain('Restore the key store (KEY_STORE_URL)');
      expect(ended.out).toMatch(/conversion\.approved .* status pending → approved$/m);
    });

    it('without it, nothing needs the key store or SECRETS_KEY', async () => {
      const { personalKeys } = dataDirectory(sample().path);
      renameSync(personalKeys, `${personalKeys}.away`);
      try {
        expect((await run('invalid', 'show', ids.affiliate)).code).toBe(0);
        expect((await run('invalid', 'tail')).code).toBe(0);
        expect(await opened('show', ids.affiliate)).toMatchObject({ code: 3, out: '' });
        expect(existsSync(personalKeys)).toBe(false);
      } finally {
        renameSync(`${personalKeys}.away`, personalKeys);
      }
    });

    it('verify shows the values that differ', async () => {
      const plain = { email: 'ada@example.com', name: 'Ada King' };
      const [, , updated] = jsonLines(await run(undefined, 'show', ids.affiliate, '--json'));
      expect(updated?.data['sealed']).toBe('[personal]');
      await sample().tamper('affiliates', ids.affiliate, { record: { sealed: 'v1.other' } });
      const ended = await opened('verify', 'affiliates');
      expect(ended.code).toBe(1);
      const [line] = ended.out.split('\n').filter((each) => each.includes('record.sealed'));
      expect(line).toContain(`stored "The personal data of ${ids.affiliate} does not open`);
      const folded = JSON.parse(line?.split(' folded ')[1] ?? 'null') as unknown;
      expect(folded).toMatchObject(plain);
      expect(await run(undefined, 'rebuild', 'affiliates')).toMatchObject({ code: 0 });
    });
  });
