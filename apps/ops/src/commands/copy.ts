import { Option, type Command } from 'commander';
import {
  dataFolder,
  enginesOf,
  removeMigrationMarker,
  readConfig,
  readMigrationMarker,
  type MigrationMarker,
} from '@refledger/platform';
import type { DeliveryStatus } from '@refledger/webhooks';
import type { Compared } from '../copy/compare-sides.js';
import { copyFolder, type Copied } from '../copy/copy-folder.js';
import type { Digest } from '../copy/digest.js';
import { requireLog, takeFolder } from '../engines/take-folder.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';

export const addCopy = (program: Command, runWith: RunWith): void => {
  program
    .command('copy')
    .description(
      'Copies a data folder to EventStoreDB and MongoDB, where separate services go on with it.',
    )
    .requiredOption(
      '--from <folder>',
      "the standalone service's data folder; the service must not run",
    )
    .addOption(
      new Option('--to <url>', 'EventStoreDB, empty of Refledger: esdb://…').env('EVENT_LOG_URL'),
    )
    .addOption(
      new Option('--read-store <url>', 'MongoDB, a database empty of Refledger: mongodb://…').env(
        'READ_STORE_URL',
      ),
    )
    .addOption(
      new Option(
        '--cancel',
        'takes a copy back that has not ended: the folder may be started again',
      ).default(false),
    )
    .addHelpText('after', examples)
    .action(runWith(copy));
};

const examples = `
Every event is copied in its order with its id and revision, then every delivery with its attempts; read models are made by the services
there. SECRETS_KEY must be the key that webhook secrets are sealed with, and be the services' as well. No service may run on the target yet.

The folder is marked while it is copied, and as moved once both sides have the same: it doesn't start any more. Stopped in whatever way,
the same command goes on where it was. It ends with counts and a hash of both sides, and with 1 when they differ.

A URL with a password is better given as EVENT_LOG_URL and READ_STORE_URL, since others on the machine see a command's arguments.

Examples:
  $ export SECRETS_KEY=$(cat .data/secrets.key)
  $ ops copy --from .data --to esdb://es:2113?tls=true --read-store mongodb://mongo:27017/refledger
  $ ops copy --from .data --cancel`;

interface CopyOptions {
  readonly from: string;
  readonly to?: string;
  readonly readStore?: string;
  readonly cancel: boolean;
}

const copy = async (
  { console }: Ops,
  { from, to, readStore, cancel: isCanceled }: CopyOptions,
): Promise<ExitCode> => {
  if (isCanceled) return cancel(console, from);
  if (to === undefined || readStore === undefined)
    throw new UsageError('ops copy needs --to esdb://… and --read-store mongodb://…');
  const engines = enginesOf({ EVENT_LOG_URL: to, READ_STORE_URL: readStore });
  if ('problems' in engines || engines.mode !== 'distributed')
    throw new UsageError(
      'ops copy goes from a data folder to EventStoreDB and MongoDB: --to is esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…, and --read-store mongodb://… or mongodb+srv://…',
    );
  const { secretsKeys } = readConfig({ SECRETS_KEY: process.env['SECRETS_KEY'] });
  const copied = await copyFolder({
    folder: dataFolder(from),
    ...engines,
    secretsKeys,
    console,
    now: Date.now,
  });
  for (const line of figures(copied)) await console.print(line);
  await console.print(
    copied.isSame
      ? ended(from, copied.move)
      : 'source and target are not the same, so the folder is not marked as moved: something else writes on the target. Stop it, and copy into an empty one',
  );
  return copied.isSame ? exitCodes.fine : exitCodes.found;
};

const cancel = async (console: Ops['console'], from: string): Promise<ExitCode> => {
  const folder = dataFolder(from);
  requireLog(folder);
  const lock = takeFolder(folder);
  try {
    const move = readMigrationMarker(folder);
    if (move === undefined) throw new UsageError(`${from} is not being copied`);
    if (move.state === 'moved')
      throw new UsageError(
        `${from} was moved to EventStoreDB at ${move.event_log} and MongoDB at ${move.read_store} at ${move.since}: services there may have gone on with it, and two that go on would send twice`,
      );
    await removeMigrationMarker(folder);
    await console.print(
      `${from} may be started again; what was copied to EventStoreDB at ${move.event_log} and MongoDB at ${move.read_store} is of no use: remove it there, and never start services on it`,
    );
    return exitCodes.fine;
  } finally {
    lock.release();
  }
};

const figures = ({ events, deliveries }: Copied): readonly string[] => [
  ...compared('events', events, ({ count }) => String(count)),
  ...(deliveries === undefined
    ? ['deliveries  none']
    : compared('deliveries', deliveries, ({ count, counts }) => `${count} (${inWords(counts)})`)),
];

const compared = <Of extends Digest>(
  what: string,
  { source, target }: Compared<Of>,
  count: (of: Of) => string,
): readonly string[] => [
  `${what.padEnd(10)}  source  ${count(source)}  sha256 ${source.hash}`,
  `${' '.repeat(10)}  target  ${count(target)}  sha256 ${target.hash}`,
];

const inWords = (counts: Readonly<Record<DeliveryStatus, number>>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${status} ${count}`)
    .join(', ');

const ended = (
  from: string,
  { event_log: eventLog, read_store: readStore }: MigrationMarker,
): string =>
  `${from} is moved: start the services on EventStoreDB at ${eventLog} and MongoDB at ${readStore}, with this SECRETS_KEY and a BOOTSTRAP_API_KEY of your choice`;
