import type { Command } from 'commander';
import type { EventLog } from '@refledger/event-log';
import { openSecretBox } from '@refledger/sealing';
import { unreadableEndpoints } from '@refledger/webhook-endpoints';
import type { SecretsKeys } from '../engines/secrets-keys.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { counted } from '../format/counted.js';
import { rewrapKeys, type RewrapCounts } from '../keys/rewrap-keys.js';
import { shownWork } from '../progress.js';
import { withOpen } from '../with-open.js';
import type { Ops, RunWith } from './ops.js';

/** Adds `ops keys` to the program. */
export const addKeys = (program: Command, runWith: RunWith): void => {
  program
    .command('keys')
    .description('Manages the keys of personal data.')
    .command('rewrap')
    .description('Wraps every key of personal data again, under the first key of SECRETS_KEY.')
    .addHelpText('after', examples)
    .action(runWith(rewrap));
};

const examples = `
To rotate SECRETS_KEY, put a new key before the old one (SECRETS_KEY=new,old), restart every service, and run this command
with the same value. Services may run meanwhile. If it is interrupted, run it again: it skips keys that are wrapped already.
Without SECRETS_KEY, the key is the one in secrets.key.

The command says whether older keys are still needed: the secrets of webhook endpoints are sealed under SECRETS_KEY too,
and are sealed again only when they are rotated. Backups that were made before need the older keys.

Example:
  $ SECRETS_KEY="$(openssl rand -base64 32),$(cat .data/secrets.key)"
  $ export SECRETS_KEY                        then restart the service with it
  $ ops keys rewrap`;

const rewrap = ({ console, engines }: Ops): Promise<ExitCode> => {
  const secretsKeys = engines.secretsKeys();
  return withOpen(engines.openLog(), async (log) => {
    const unreadable: string[] = [];
    const counts = await withOpen(engines.openKeyStore(log), (store) =>
      shownWork(console, { what: 'rewrapping', unit: 'key' }, (work) =>
        rewrapKeys({
          ...work,
          store,
          box: openSecretBox(secretsKeys),
          onUnreadable: (owner, { message }) => unreadable.push(`${owner}: ${message}`),
        }),
      ),
    );
    for (const line of listed(unreadable)) console.report(`ops: ${line}`);
    await console.print(figures(counts));
    if (unreadable.length === 0) await console.print(await olderKeys(log, secretsKeys));
    else console.report(`ops: ${whatIsMissing}`);
    return unreadable.length === 0 ? exitCodes.success : exitCodes.failure;
  });
};

const figures = ({ rewrapped, current, erased, unreadable }: RewrapCounts): string =>
  `rewrapped ${rewrapped}, current already ${current}, erased ${erased}${unreadable === 0 ? '' : `, unreadable ${unreadable}`}`;

const whatIsMissing =
  'the keys that do not open were left as they are. Add the missing keys to the end of SECRETS_KEY, or restore the key store from a backup, and run ops keys rewrap again.';

/** Says whether the keys after the first one may be removed from SECRETS_KEY. */
const olderKeys = async (log: EventLog, [first]: SecretsKeys): Promise<string> => {
  const endpoints = [...(await unreadableEndpoints(log, openSecretBox([first])))];
  return endpoints.length === 0
    ? 'Nothing that the services read needs an older key: you can remove all keys but the first from SECRETS_KEY. Only backups that were made before need the older ones.'
    : `Older keys still seal the secrets of ${counted(endpoints.length, 'webhook endpoint')}: ${listed(endpoints).join(', ')}. Keep these keys in SECRETS_KEY until the secrets have been rotated (POST /v1/webhooks/{id}/rotate-secret) and no overlap runs.`;
};

/** The first of many. */
const listed = (items: readonly string[]): readonly string[] =>
  items.length <= shown ? items : [...items.slice(0, shown), `and ${items.length - shown} more`];

const shown = 10;
