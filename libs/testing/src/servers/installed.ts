import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The versions that `tools/servers/versions.json` pins. */
export interface ServerVersions {
  readonly eventstoredb: { readonly image: string };
  readonly mongodb: { readonly image: string; readonly secantusdb: string };
  readonly kafka: { readonly image: string; readonly version: string };
  readonly schemathesis: { readonly version: string };
}

// a decoding boundary: a file of this repository
export const serverVersions = JSON.parse(
  readFileSync(join(root, 'tools/servers/versions.json'), 'utf8'),
) as ServerVersions;

/**
 * Returns the directory into which `tools/servers/prepare.mjs` has installed a server; undefined
 * when it has not, or has not finished.
 */
export const installedDirectory = (name: string): string | undefined => {
  const directory = join(process.env['REFLEDGER_SERVERS_DIR'] ?? join(root, '.servers'), name);
  return existsSync(join(directory, 'installed')) ? directory : undefined;
};
