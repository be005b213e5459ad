/// <reference types="jest" />
import type { OptionalEngine } from './choose-server.js';
import { findServers, type Servers, type ServerUse } from './servers.js';

/**
 * A `describe` for a suite that needs servers of these engines. If one is missing, the suite is
 * skipped, with the reason in its title and on the terminal.
 */
export const describeWithServers = <E extends OptionalEngine>(
  engines: readonly E[],
  title: string,
  suite: (servers: Servers<E>) => void,
  use: ServerUse = {},
): void => {
  const servers = findServers(engines, use);
  if (servers.missing === undefined) return describe(title, () => suite(servers));
  process.stderr.write(`SKIPPED: ${title}: ${servers.missing}\n`);
  describe.skip(`${title} (skipped: ${servers.missing})`, () => suite(servers));
};
