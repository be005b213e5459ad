import { installOnce, isInstalled } from './install-once.mjs';
import { hasPython, installFromPypi } from './python.mjs';
import { versions } from './servers-folder.mjs';

const version = versions.mongodb.secantusdb;
const folderName = `secantusdb-${version}`;

/**
 * A stand-in that speaks MongoDB's protocol over MongoDB's storage engine. It is always a separate
 * process, never linked or shipped.
 */
export const mongodb = {
  engine: 'MongoDB',
  url: 'TEST_MONGODB_URL',
  image: versions.mongodb.image,
  product: `SecantusDB ${version} (speaks MongoDB's protocol)`,
  lacks: () =>
    isInstalled(folderName) || hasPython()
      ? []
      : ['Python 3 with its venv module (Debian: apt-get install python3-venv)'],
  install: () =>
    installOnce(folderName, (folder) => installFromPypi(folder, `SecantusDB==${version}`)),
};
