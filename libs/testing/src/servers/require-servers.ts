import type { OptionalEngine } from './choose-server.js';
import { findServers, type Servers } from './servers.js';

/**
 * Finds servers for a program, which, unlike a suite, cannot be skipped. Throws when a server of
 * these engines is missing.
 */
export const requireServers = <E extends OptionalEngine>(...engines: readonly E[]): Servers<E> => {
  const servers = findServers(engines);
  if (servers.missing !== undefined) throw new Error(servers.missing);
  return servers;
};
