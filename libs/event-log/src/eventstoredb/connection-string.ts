import { EventStoreDBClient } from '@eventstore/db-client';
import { EventLogError } from '../event-log-error.js';
import { messageOf } from '../message-of.js';

/** Where a server or a cluster is, and how to connect to each of its nodes. */
export interface Servers {
  /** The hosts as they were given, for messages: a connection string may hold a password. */
  readonly hosts: string;
  /** `host:port` of each. */
  readonly addresses: readonly string[];
  /** Whether one of several nodes has to be chosen. */
  readonly isCluster: boolean;
  /** Whether the addresses are names of a whole cluster in the DNS, and not of nodes. */
  readonly isDiscovered: boolean;
  /** A client of one node. It connects with its first call. */
  readonly clientOf: (address: string) => EventStoreDBClient;
}

/**
 * Reads a connection string of EventStoreDB or KurrentDB (`esdb://`, `esdb+discover://`,
 * `kurrentdb://`, `kurrentdb+discover://`). Throws `unusable` when the string, or a certificate file
 * that it names, can't be used.
 */
export const readConnectionString = (url: string): Servers => {
  // the client knows only the older name of the same protocol
  const known = url.trim().replace(/^kurrentdb(?=\+discover:\/\/|:\/\/)/, 'esdb');
  const parts = /^esdb(\+discover)?:\/\/([^@/]*@)?([^/?]+)(.*)$/s.exec(known);
  const [, discover, user = '', hosts, options = ''] = parts ?? [];
  if (hosts === undefined) {
    const message =
      'EVENT_LOG_URL must be a connection string of EventStoreDB such as ' +
      'esdb://user:password@host:2113?tls=true';
    throw new EventLogError({ kind: 'unusable' }, message);
  }
  try {
    // the client checks all of it
    EventStoreDBClient.connectionString(known);
  } catch (error) {
    // what the client says of a string that it can't parse may hold parts of it
    const isAboutFiles = /certificate|userCertFile/i.test(messageOf(error));
    const why = isAboutFiles
      ? messageOf(error)
      : 'it is not one that the client of EventStoreDB can read';
    const message = `the connection string for ${hosts} can't be used: ${why}`;
    throw new EventLogError({ kind: 'unusable' }, message);
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
