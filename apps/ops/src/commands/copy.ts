import type { DeliveryStatus } from '@refledger/contracts';
import { Option, type Command } from 'commander';
import { dataDirectory, enginesOf } from '@refledger/engines';
import {
  removeMigrationMarker,
  readMigrationMarker,
  type MigrationMarker,
} from '@refledger/operator';
import { readConfig } from '@refledger/platform';
import type { BothSides, Digest } from '../copy/compare-sides.js';
import { copyDirectory, type CopyResult } from '../copy/copy-directory.js';
import { withDirectory } from '../engines/take-directory.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';

/** Adds `ops copy` to the program. */
export const addCopy = (program: Command, runWith: RunWith): void => {
  program
    .command('copy')
    .description(
      'Copies a data directory to EventStoreDB and MongoDB, where separate services take over.',
    )
    .requiredOption(
      '--from <directory>',
      "the standalone service's data directory; the service must not be running",
    )
    .addOption(
      new Option('--to <url>', 'EventStoreDB without Refledger data: esdb://…').env(
        'EVENT_LOG_URL',
      ),
    )
    .addOption(
      new Option(
        '--read-store <url>',
        'a MongoDB database without Refledger data: mongodb://…',
      ).env('READ_STORE_URL'),
    )
    .addOption(
      new Option(
        '--delivery-store <url>',
        'a MongoDB database for deliveries (default: the --read-store database)',
      ).env('DELIVERY_STORE_URL'),
    )
    .addOption(
      new Option(
        '--key-store <url>',
        'a MongoDB database for the keys of personal data (default: the --delivery-store database)',
      ).env('KEY_STORE_URL'),
    )
    .addOption(
      new Option(
        '--cancel',
        'cancels an unfinished copy, so that the service can start on the directory again',
      ).default(false),
    )
    .addHelpText('after', examples)
    .action(runWith(copy));
};

const examples = `
Copies every key of personal data, every event in order, with its id and revision, and then every delivery with its attempts.
The services on the target build their own read models. SECRETS_KEY must be the key that seals the webhook secrets and the
keys; give the services the same one. No service may be running on the target yet.

While the copy runs, and after both sides are equal, a marker keeps the service from starting on the directory. After an
interruption, run the same command again: it continues where it stopped. It prints counts and a hash of both sides, and
exits with 1 when they differ.

Pass URLs with a password as EVENT_LOG_URL, READ_STORE_URL, DELIVERY_STORE_URL and KEY_STORE_URL: other users of the machine
can see command arguments.

Examples:
  $ export SECRETS_KEY=$(cat .data/secrets.key)
  $ ops copy --from .data --to esdb://es:2113?tls=true --read-store mongodb://mongo:27017/refledger
  $ ops copy --from .data --cancel`;

interface CopyOptions {
  readonly from: string;
  readonly to?: string;
  readonly readStore?: string;
  readonly deliveryStore?: string;
  readonly keyStore?: string;
  readonly cancel: boolean;
}

const copy = async (
  { console }: Ops,
  { from, to, readStore, deliveryStore, keyStore, cancel: isCanceled }: CopyOptions,
): Promise<ExitCode> => {
  if (isCanceled) return cancel(console, from);
  if (to === undefined || readStore === undefined)
    throw new UsageError('the target is missing. Give --to esdb://… and --read-store mongodb://….');
  const engines = enginesOf({
    EVENT_LOG_URL: to,
    READ_STORE_URL: readStore,
    DELIVERY_STORE_URL: deliveryStore,
    KEY_STORE_URL: keyStore,
  });
  if ('problems' in engines || engines.mode !== 'distributed')
    throw new UsageError(
      'the target must be EventStoreDB and MongoDB. Give --to esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…, and --read-store (and --delivery-store, --key-store) mongodb://… or mongodb+srv://….',
    );
  const { secretsKeys } = readConfig({ SECRETS_KEY: console.env['SECRETS_KEY'] });
  const copied = await copyDirectory({
    directory: dataDirectory(from),
    ...engines,
    secretsKeys,
    console,
    now: Date.now,
  });
  for (const line of figures(copied)) await console.print(line);
  await console.print(
    copied.isSame
      ? ended(from, copied.move)
      : 'Source and target differ because something else is writing to the target, so the directory is not marked as moved. Stop that writer, and copy into an empty target.',
  );
  return copied.isSame ? exitCodes.success : exitCodes.failure;
};

const cancel = (console: Ops['console'], from: string): Promise<ExitCode> => {
  const directory = dataDirectory(from);
  return withDirectory(directory, async () => {
    const move = readMigrationMarker(directory);
    if (move === undefined)
      throw new UsageError(`${from} is not being copied. There is nothing to cancel.`);
    if (move.state === 'moved')
      throw new UsageError(
        `${from} was moved to EventStoreDB at ${move.event_log} and MongoDB at ${move.read_store} at ${move.since}. Run the services there; a second service on this directory would send webhooks twice.`,
      );
    await removeMigrationMarker(directory);
    await console.print(
      `The service can start on ${from} again. Remove the data that was copied to EventStoreDB at ${move.event_log} and MongoDB at ${move.read_store}, and never start services on it.`,
    );
    return exitCodes.success;
  });
};

const figures = ({ events, deliveries, keys }: CopyResult): readonly string[] => [
  ...compared('events', events, ({ count }) => String(count)),
  ...(deliveries === undefined
    ? ['deliveries  none']
    : compared('deliveries', deliveries, ({ count, counts }) => `${count} (${inWords(counts)})`)),
  ...(keys === undefined
    ? ['keys        none']
    : compared('keys', keys, ({ count, erased }) => `${count} (erased ${erased})`)),
];

const compared = <Of extends Digest>(
  what: string,
  { source, target }: BothSides<Of>,
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
  `${from} has been moved. Start the services on EventStoreDB at ${eventLog} and MongoDB at ${readStore}, with this SECRETS_KEY and a BOOTSTRAP_API_KEY of your choice.`;
