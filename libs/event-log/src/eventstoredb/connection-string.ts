import { EventStoreDBClient } from '@eventstore/db-client';
import { unusable } from '../event-log-error.js';
import { messageOf } from '../message-of.js';

/** Where a server or a cluster is, and how to connect to each of its nodes. */
export interface Servers {
  /** The hosts of the connection string, for messages: the whole string may hold a password. */
  readonly hosts: string;
  /** `host:port` of each host. */
  readonly addresses: readonly string[];
  /** Whether there may be several nodes, so that the leader must be found. */
  readonly isCluster: boolean;
  /** Whether the addresses are DNS names of a whole cluster instead of single nodes. */
  readonly isDiscovered: boolean;
  /** Creates a client of one node. It connects on its first call. */
  readonly clientOf: (address: string) => EventStoreDBClient;
}

/**
 * Reads a connection string of EventStoreDB or KurrentDB (`esdb://`, `esdb+discover://`,
 * `kurrentdb://`, `kurrentdb+discover://`). Throws `unusable` when the string, or a certificate
 * file that it names, can't be used.
 */
export const readConnectionString = (url: string): Servers => {
  // the client knows only the older name of the same protocol
  const known = url.trim().replace(/^kurrentdb(?=\+discover:\/\/|:\/\/)/, 'esdb');
  const parts = /^esdb(\+discover)?:\/\/([^@/]*@)?([^/?]+)(.*)$/s.exec(known);
  const [, discover, user = '', hosts, options = ''] = parts ?? [];
  if (hosts === undefined) {
    const message =
      'EVENT_LOG_URL is not an EventStoreDB connection string. Set it to a value such as ' +
      'esdb://user:password@host:2113?tls=true';
    throw unusable(message);
  }
  try {
    // the client validates the whole string
    EventStoreDBClient.connectionString(known);
  } catch (error) {
    // the client's message about a string that it can't parse may quote parts of it, so only
    // messages about files are passed on
    const isAboutFiles = /certificate|userCertFile/i.test(messageOf(error));
    const why = isAboutFiles ? messageOf(error) : 'the EventStoreDB client cannot parse it';
    const message = `the connection string for ${hosts} is not usable: ${why}`;
    throw unusable(message);
  }
  const addresses = hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:2113`));
  const isDiscovered = discover !== undefined;
  return {
    hosts,
    addresses,
    isDiscovered,
    isCluster: isDiscovered || addresses.length > 1,
    clientOf: (address) =>
      EventStoreDBClient.connectionString(`esdb://${user}${address}${options}`),
  };
};
