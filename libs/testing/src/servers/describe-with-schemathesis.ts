/// <reference types="jest" />
import { serversAreHidden } from './choose-server.js';
import { installedDirectory, serverVersions } from './installed.js';

/**
 * A `describe` for a suite that needs schemathesis and gets its directory. If schemathesis is
 * missing, the suite is skipped, with the reason in its title and on the terminal.
 */
export const describeWithSchemathesis = (
  title: string,
  suite: (directory: string) => void,
): void => {
  const directory = serversAreHidden() ? undefined : installedDirectory(name);
  if (directory !== undefined) return describe(title, () => suite(directory));
  process.stderr.write(`SKIPPED: ${title}: ${reason()}\n`);
  describe.skip(`${title} (skipped: ${reason()})`, () => suite(''));
};

const name = `schemathesis-${serverVersions.schemathesis.version}`;

const reason = (): string =>
  serversAreHidden()
    ? 'TEST_SERVERS=none hides every server and tool'
    : 'schemathesis is not available; `npm run faults` installs it, or says what is missing';
