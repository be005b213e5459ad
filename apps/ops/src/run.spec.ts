import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InterruptedError, BrokenPipe } from './console.js';
import { runInProcess } from '../test/run-in-process.js';

const ops = (args: readonly string[], ended?: Error) =>
  runInProcess(args, ended === undefined ? {} : { ended });

const containing = (text: string): string => expect.stringContaining(text) as string;

describe('usage errors', () => {
  it.each([
    [[], 'Commands:'],
    [['nothing'], "unknown command 'nothing'"],
    [['tail', '--sideways'], "unknown option '--sideways'"],
    [['tail', '--last', 'many'], 'It must be a number'],
    [['tail', '--from', '-1'], 'It must be a position'],
    [['tail', '--from', '1', '--last', '1'], 'cannot be used with'],
    [['show'], "missing required argument 'id'"],
    [['skip', 'projector'], "missing required argument 'position'"],
    [['resume', 'projector'], '--from'],
    [['ignore-time', '-1'], 'It must be a position'],
  ])('ops %j ends with 2 and gives the reason', async (args, why) => {
    expect(await ops(args)).toMatchObject({ code: 2, out: '', err: containing(why) });
  });
});

it.each(['', 'tail', 'show', 'verify', 'rebuild', 'skip', 'resume', 'ignore-time', 'keys rewrap'])(
  'ops %s --help shows examples',
  async (command) => {
    const ended = await ops([...(command === '' ? [] : command.split(' ')), '--help']);
    expect(ended).toMatchObject({ code: 0, err: '', out: containing(`\n  $ ops ${command}`) });
    expect(ended.out).toMatch(
      command === ''
        ? /Exit codes:\n {2}0 {4}success\n {2}1 [^]*\n {2}2 .*\n {2}3 /
        : /Examples?:\n/,
    );
  },
);

describe('unreachable engines', () => {
  let path: string;
  beforeEach(() => void (path = mkdtempSync(join(tmpdir(), 'refledger-ops-test-'))));
  afterEach(() => rmSync(path, { recursive: true }));

  it.each([
    [['tail']],
    [['show', 'log']],
    [['verify']],
    [['rebuild', 'programs']],
    [['rebuild', 'programs', '--no-wait']],
    [['skip', 'projector', '1']],
    [['resume', 'projector', '--from', 'head']],
  ])('a directory without a log: ops %j', async (args) => {
    const missing = join(path, 'missing');
    expect(await ops([...args, '--data-dir', missing])).toEqual({
      code: 3,
      out: '',
      err: `ops: there is no event log in ${missing}. Name the service's data directory with --data-dir or DATA_DIR.\n`,
    });
    expect(existsSync(missing)).toBe(false);
  });

  it('a file that is not a Refledger log is named, with a stack trace only for --verbose', async () => {
    writeFileSync(join(path, 'events.db'), 'something else entirely');
    const ended = await ops(['tail', '--data-dir', path]);
    expect(ended).toMatchObject({ code: 3, err: containing(join(path, 'events.db')) });
    expect(ended.err.trimEnd().split('\n')).toHaveLength(1);
    expect((await ops(['--data-dir', path, '--verbose', 'tail'])).err).toMatch(/\n {4}at /);
  });

  it('an interruption decides the exit code, whatever the command was doing', async () => {
    const args = ['tail', '--data-dir', path];
    expect(await ops(args, new InterruptedError('Ctrl-C'))).toEqual({
      code: 130,
      out: '',
      err: '',
    });
    expect(await ops(args, new BrokenPipe('head'))).toEqual({ code: 0, out: '', err: '' });
  });
});
