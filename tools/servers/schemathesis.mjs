import { installOnce, isInstalled } from './install-once.mjs';
import { hasPython, installFromPypi } from './python.mjs';
import { versions } from './servers-folder.mjs';

const { version } = versions.schemathesis;
const folderName = `schemathesis-${version}`;

/**
 * A fuzzer that generates requests from an OpenAPI document. It is not a server, but is installed
 * like one.
 */
export const schemathesis = {
  engine: 'schemathesis',
  product: `schemathesis ${version}`,
  lacks: () =>
    isInstalled(folderName) || hasPython(10)
      ? []
      : ['Python 3.10 or later with its venv module (Debian: apt-get install python3-venv)'],
  install: () =>
    installOnce(folderName, (folder) => installFromPypi(folder, `schemathesis==${version}`)),
};
