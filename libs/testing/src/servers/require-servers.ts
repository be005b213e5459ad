import type { OptionalEngine } from './choose-server.js';
import { findServers, type Servers } from './servers.js';

/** For programs, which can't skip: throws where a server of these engines is missing. */
export const requireServers = <E extends OptionalEngine>(...engines: readonly E[]): Servers<E> => {
  const servers = findServers(engines);
  if (servers.missing !== undefined) throw new Error(servers.missing);
  return servers;
};
