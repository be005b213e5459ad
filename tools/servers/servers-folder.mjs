import { dirname, join } from 'node:path';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

export const versions = JSON.parse(readFileSync(join(here, 'versions.json'), 'utf8'));

/** Where test servers are installed; `libs/testing/src/servers/installed.ts` looks there too. */
export const serversFolder = () =>
  process.env.REFLEDGER_SERVERS_DIR ?? join(here, '../../.servers');
