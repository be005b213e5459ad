import { dirname, join } from 'node:path';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

export const versions = JSON.parse(readFileSync(join(here, 'versions.json'), 'utf8'));

/**
 * The folder of the installed test servers. `libs/testing/src/servers/installed.ts` uses it too.
 */
export const serversFolder = () =>
  process.env.REFLEDGER_SERVERS_DIR ?? join(here, '../../.servers');
