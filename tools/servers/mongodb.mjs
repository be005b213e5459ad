import { join } from 'node:path';
import { installOnce, isInstalled } from './install-once.mjs';
import { answers, retries, runTool } from './run-tool.mjs';
import { versions } from './servers-folder.mjs';

const version = versions.mongodb.secantusdb;
const folderName = `secantusdb-${version}`;

/** A stand-in that speaks MongoDB's protocol over MongoDB's storage engine; always a process of its own, never linked or shipped. */
export const mongodb = {
  engine: 'MongoDB',
  url: 'TEST_MONGODB_URL',
  image: versions.mongodb.image,
  product: `SecantusDB ${version} (speaks MongoDB's protocol)`,
  lacks: () => (isInstalled(folderName) || answers('python3', '-c', 'import venv, ensurepip') ? [] : ['Python 3 with its venv module (Debian: apt-get install python3-venv)']),
  install: () => installOnce(folderName, async (folder) => {
    await runTool('python3', ['-m', 'venv', folder]);
    await runTool(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--retries', String(retries()), '--timeout', '10', '--disable-pip-version-check', `SecantusDB==${version}`]);
  }),
};
