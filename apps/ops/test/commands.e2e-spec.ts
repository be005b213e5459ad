import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import {
  eventually,
  startStandalone,
  TestAccount,
  type StandaloneService,
} from '@refledger/testing';
import { streams } from '@refledger/contracts';
import { projectionNames } from '@refledger/projections';
import { processors } from '../src/arguments.js';
import { erasingSuite } from './erasing.suite.js';
import { jsonLines, ops, OpsProcess, withoutProgress, type ProcessResult } from './ops-process.js';
import { personalSuite } from './personal.suite.js';
import { rewrappedKeysSuite, rotatedSecrets } from './rewrapped-keys.suite.js';
import { runInProcess } from './run-in-process.js';
import { ids, SampleDirectory, secrets } from './sample-directory.js';

/** Personal values, and what every sealed text begins with. */
const personal = ['ada@example.com', 'crm-7', 'Ada ', 'gold', '"v1.', ' v1.'];

const printsNoSecret = ({ out, err }: ProcessResult): void => {
  for (const secret of [...Object.values(secrets), ...personal])
    expect(out + err).not.toContain(secret);
};

describe.each(['running', 'stopped'] as const)('ops beside a %s service', (state) => {
  let directory: SampleDirectory;
  let service: StandaloneService | undefined;
  beforeAll(async () => {
    directory = await SampleDirectory.make();
    if (state === 'running')
      service = await startStandalone({
        dataDir: directory.path,
        env: { SECRETS_KEY: rotatedSecrets(directory) },
      });
  });
  afterAll(async () => {
    await service?.stop();
    directory.remove();
  });

  const run = (...args: readonly string[]): Promise<ProcessResult> => ops(directory.path, ...args);

  /** Appends an event to the sample's log, through the service if one is running. */
  const happen = async (): Promise<void> => {
    if (service === undefined)
      await directory.append(streams.account(`acct_${Math.random()}`), {
        type: 'account.created',
        data: { account_id: ids.account, name: 'Another' },
      });
    else await TestAccount.open(service);
  };

  describe('tail', () => {
    it('shows the last events in a table, without secrets', async () => {
      const ended = await run('tail', '--account', ids.account);
      expect(ended.code).toBe(0);
      const rows = ended.out.trimEnd().split('\n');
      expect(rows).toHaveLength(11);
      expect(rows[0]).toMatch(/^position +time +type +of +by +what$/);
      expect(rows[8]).toMatch(
        new RegExp(
          `^ +10 .*conversion.approved +${ids.conversion} +${ids.key} +status pending → approved$`,
        ),
      );
      printsNoSecret(ended);
    });

    it('prints JSON lines, filtered by type, stream and account', async () => {
      const approved = await run('tail', '--json', '--type', 'conversion.approved');
      expect(jsonLines(approved).map(({ type }) => type)).toEqual(['conversion.approved']);
      const ofStream = await run('tail', '--json', '--stream', ids.conversion);
      expect(
        jsonLines(ofStream).map(({ type, data }) => [
          type,
          (data['after'] as { metadata: object }).metadata,
        ]),
      ).toEqual([
        ['conversion.created', { secret: 'of the client' }],
        ['conversion.approved', { secret: 'of the client' }],
      ]);
      const kinds = await run(
        'tail',
        '--json',
        '--type',
        'webhook',
        'key.created',
        '--account',
        ids.account,
      );
      expect(jsonLines(kinds).map(({ type }) => type)).toEqual([
        'key.created',
        'webhook.subscribed',
        'webhook.updated',
      ]);
      printsNoSecret(kinds);
      const none = await run('tail', '--account', 'acct_nobody');
      expect(none).toMatchObject({
        code: 1,
        out: '',
        err: 'ops: no event matches. Check the filters.\n',
      });
    });

    it('shows the last events, or all from a position on', async () => {
      const last = await run('tail', '--json', '--account', ids.account, '--last', '2');
      expect(jsonLines(last).map(({ type }) => type)).toEqual([
        'webhook.subscribed',
        'webhook.updated',
      ]);
      const from = await run('tail', '--json', '--account', ids.account, '--from', '9');
      expect(jsonLines(from).map(({ position }) => position)).toEqual(['9', '10', '11', '12']);
    });

    it('follows the log until Ctrl-C', async () => {
      const following = new OpsProcess(directory.path, [
        'tail',
        '--last',
        '1',
        '--type',
        'account.created',
        '--json',
        '--follow',
      ]);
      try {
        await eventually(() => expect(jsonLines(following)).toHaveLength(1));
        await happen();
        await eventually(() => expect(jsonLines(following)).toHaveLength(2));
        expect(jsonLines(following)[1]?.type).toBe('account.created');
      } finally {
        expect(await following.end('SIGINT')).toMatchObject({ code: 0, err: '' });
      }
    });

    it('ends quietly when the reader closes the pipe', async () => {
      const following = new OpsProcess(directory.path, ['tail', '--follow']);
      await eventually(() => expect(following.out).not.toBe(''));
      following.child.stdout?.destroy();
      const ended = once(following.child, 'close');
      await happen();
      await ended;
      expect(await following.end()).toMatchObject({ code: 0, err: '' });
    });
  });

  describe('show', () => {
    it('shows a stream event by event: when, who, before and after', async () => {
      const ended = await run('show', ids.conversion);
      expect(ended.code).toBe(0);
      expect(ended.out).toMatch(
        new RegExp(
          `^${streams.conversion(ids.conversion)}\n\n\\d{4}-.*Z  conversion.created  by ${ids.key}  \\(revision 0, position 9, request request-1\\)\n`,
        ),
      );
      expect(ended.out).toContain('    sale_amount: 4900\n');
      expect(ended.out).toMatch(/conversion\.approved .*\n {4}status: pending → approved\n$/m);
    });

    it.each([
      [[ids.program, '--account', ids.account], ['program.created']],
      [[ids.key], ['key.created']],
      [[`refledger.webhooks-${ids.account}`], ['webhook.subscribed', 'webhook.updated']],
    ])('finds the history of %j', async (args, types) => {
      const ended = await run('show', '--json', ...args);
      expect(ended.code).toBe(0);
      expect(jsonLines(ended).map(({ type }) => type)).toEqual(types);
      printsNoSecret(ended);
    });

    it('shows changes to an endpoint', async () => {
      const ended = await run('show', ids.endpoint);
      expect(ended.out).toMatch(
        /webhook\.updated .*\n.*endpoint_id.*\n {4}events: \["payout.created"\] → \["payout.completed"\]\n {4}secret: \[sealed\] → \[sealed\]\n$/m,
      );
      expect(ended.out).toContain('    secret: [sealed]\n');
      printsNoSecret(ended);
    });

    it('shows which personal values of an affiliate changed, and never the values', async () => {
      const ended = await run('show', ids.affiliate);
      expect(ended.code).toBe(0);
      expect(ended.out).toMatch(/affiliate\.created [^]*\n {4}sealed: \[personal\]\n/);
      expect(ended.out).toMatch(/affiliate\.approved .*\n {4}status: pending → approved\n\n/);
      expect(ended.out).toMatch(/affiliate\.updated .*\n {4}name: \[personal\] → \[personal\]\n/);
      printsNoSecret(ended);
      const json = await run('show', '--json', ids.affiliate);
      expect(jsonLines(json).map(({ data }) => data['sealed'])).toEqual(
        Array(3).fill('[personal]'),
      );
      printsNoSecret(json);
    });

    it('reports an unknown id, and a malformed one', async () => {
      expect(await run('show', 'conv_00000000000000000000000000')).toMatchObject({
        code: 1,
        out: '',
        err: expect.not.stringContaining('--account') as string,
      });
      expect(await run('show', ids.program, '--account', 'acct_nobody')).toMatchObject({
        code: 1,
        out: '',
        err: `ops: the log has no events for ${ids.program} in acct_nobody. Check the id, --account, and --data-dir or EVENT_LOG_URL.\n`,
      });
      expect(await run('show', 'nonsense')).toMatchObject({ code: 2, out: '' });
      expect(await run('show', ids.program)).toMatchObject({
        code: 2,
        err: expect.stringContaining('--account') as string,
      });
    });
  });

  rewrappedKeysSuite(() => directory);

  describe('skip', () => {
    it('shows the event and records the decision by its id, once', async () => {
      const first = await run('skip', 'webhook-dispatcher', '10', '--force');
      expect(first.code).toBe(0);
      expect(first.out).toMatch(/conversion\.approved [^]*webhook-dispatcher will skip this event/);
      const second = await run('skip', 'webhook-dispatcher', '10', '--force');
      expect(second.out).toContain('already skips this event');
      const noted = jsonLines(await run('show', 'webhook-dispatcher', '--json')).filter(
        ({ type }) => type === 'processor.skipped',
      );
      const [event] = jsonLines(await run('tail', '--from', '10', '--json'));
      expect(noted.map(({ data }) => data)).toEqual([
        { processor: 'webhook-dispatcher', event_id: event?.id, position: '10' },
      ]);
    });

    it('rejects decisions that would have no effect', async () => {
      expect(await run('skip', 'projector', '999999')).toMatchObject({
        code: 1,
        err: expect.stringContaining('no event at position 999999') as string,
      });
      for (const processor of Object.keys(processors).filter((name) => name !== 'relay')) {
        expect(await run('skip', processor, '6')).toMatchObject({
          code: 2,
          err: expect.stringContaining(`${processor} has not stopped at this event`) as string,
        });
      }
      expect(await run('skip', 'nobody', '7')).toMatchObject({
        code: 2,
        err: expect.stringContaining(
          'projector, posting, runs, paid-status, erasures, webhook-dispatcher',
        ) as string,
      });
      expect(await run('skip', 'projector', 'seven')).toMatchObject({ code: 2 });
    });
  });

  describe('resume', () => {
    it.each(['webhook-dispatcher', 'relay'])(
      'exits with 2 when there is nothing to decide about the %s, and records nothing',
      async (processor) => {
        expect(await run('resume', processor, '--from', 'head')).toMatchObject({
          code: 2,
          out: '',
          err: expect.stringContaining('does not wait for a decision') as string,
        });
        expect((await run('tail', '--type', 'processor')).out).not.toContain('processor.resumed');
      },
    );

    it('rejects an invalid position', async () => {
      for (const place of [['--from', 'here'], ['--from', '999999'], []])
        expect(await run('resume', 'webhook-dispatcher', ...place)).toMatchObject({
          code: 2,
          out: '',
        });
    });
  });

  describe('rebuild', () => {
    it('waits until the new build serves', async () => {
      const before = await directory.liveBuilds('conversions');
      expect(await run('rebuild', 'conversions')).toMatchObject({
        code: 0,
        out: 'conversions has been rebuilt and now serves reads\n',
      });
      const after = await directory.liveBuilds('conversions');
      expect(after.filter((id) => !before.includes(id))).toHaveLength(1);
      expect(
        jsonLines(await run('show', 'projector', '--json')).map(({ data }) => data['projection']),
      ).toEqual(['conversions']);
    });

    it('only requests the rebuild with --no-wait', async () => {
      expect(await run('rebuild', 'programs', '--no-wait')).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^requested a rebuild of programs/) as string,
      });
      expect(jsonLines(await run('show', 'projector', '--json')).at(-1)?.data).toMatchObject({
        projection: 'programs',
      });
    });

    it('refuses an unknown projection', async () => {
      expect(await run('rebuild', 'nothing')).toMatchObject({
        code: 2,
        err: expect.stringContaining('affiliate_stats') as string,
      });
    });
  });

  describe('verify', () => {
    // the keys of the sample are rotated by now, and the search needs them
    const settings = () => ({ SECRETS_KEY: rotatedSecrets(directory) });
    const run = (...args: readonly string[]): Promise<ProcessResult> =>
      runInProcess(args, { env: { DATA_DIR: directory.path, ...settings() } });

    it('finds no differences in intact read models, and leaves nothing behind', async () => {
      // a process of its own keeps its temporary files in the directory
      const ended = withoutProgress(
        await new OpsProcess(directory.path, ['verify'], settings()).end(),
      );
      expect(ended).toMatchObject({ code: 0, err: '' });
      expect(ended.out.match(/matching the log$/gm)).toHaveLength(projectionNames.length);
      expect(ended.out).toMatch(/^conversions +up to position \d+: 1 document, matching the log$/m);
      expect(readdirSync(directory.path).filter((name) => name.startsWith('refledger-'))).toEqual(
        [],
      );
    });

    it('lists every difference, without secrets', async () => {
      await directory.tamper('conversions', ids.conversion, { record: { status: 'rejected' } });
      await directory.tamper('conversions', 'conv_made_up', { record: { status: 'approved' } });
      await directory.tamper('affiliates', ids.affiliate, null);
      const event = `${ids.endpoint}@1`;
      await directory.tamper('webhook_endpoints', ids.endpoint, { record: { status: 'disabled' } });
      await directory.tamper(
        'webhook_endpoints',
        event,
        { event: { data: { fields: { secret: secrets.sealed } } } },
        'events',
      );
      const ended = await run('verify');
      expect(ended.code).toBe(1);
      expect(ended.out).toContain(
        `  conversions ${ids.conversion}: record.status stored rejected, folded approved\n`,
      );
      expect(ended.out).toContain(
        '  conversions conv_made_up: stored, but not folded from the log\n',
      );
      expect(ended.out).toContain(
        `  affiliates ${ids.affiliate}: not stored, but folded from the log\n`,
      );
      expect(ended.out).toContain(
        `  webhook_endpoints ${ids.endpoint}: record.status stored disabled, folded enabled\n`,
      );
      expect(ended.out).toContain(
        `  webhook_endpoints ${event}: event.data.fields.secret stored [sealed], folded [sealed]\n`,
      );
      expect(ended.out).toMatch(/^conversions .*: 2 documents, 2 with differences from the log$/m);
      printsNoSecret(ended);

      expect((await run('verify', 'programs', 'accounts')).code).toBe(0);
      const few = withoutProgress(await run('verify', 'webhook_endpoints', '--show', '1'));
      expect(few).toMatchObject({ code: 1, err: '' });
      expect(few.out.match(/^ {2}webhook_endpoints whk_/gm)).toHaveLength(1);
      expect(few.out).toMatch(/^ {2}webhook_endpoints: and \d+ more$/m);
      expect(await run('verify', 'nothing')).toMatchObject({ code: 2 });
    });

    it('shows a difference in sealed values without them', async () => {
      await run('rebuild', 'affiliates');
      await directory.tamper('affiliates', ids.affiliate, { record: { sealed: 'v1.other' } });
      const ended = await run('verify', 'affiliates');
      expect(ended).toMatchObject({
        code: 1,
        out: expect.stringContaining(
          `  affiliates ${ids.affiliate}: record.sealed stored [personal], folded [personal]\n`,
        ) as string,
      });
      printsNoSecret(ended);
    });

    it('compares as of one instant while the service writes', async () => {
      const verifying = run('verify', 'accounts', 'affiliate_stats');
      let ended = false;
      void verifying.then(() => (ended = true));
      do await happen();
      while (!ended);
      expect((await verifying).out.match(/matching the log$/gm)).toHaveLength(2);
    });

    it('a rebuild repairs the differences', async () => {
      for (const name of ['conversions', 'affiliates', 'affiliate_search', 'webhook_endpoints'])
        expect(await run('rebuild', name)).toMatchObject({ code: 0 });
      expect((await run('verify')).code).toBe(0);
    });
  });

  personalSuite(() => directory);

  erasingSuite(run, () => service);
});
