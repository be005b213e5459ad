import { EventStoreDBClient } from '@eventstore/db-client';
import { EventLogError } from '../event-log-error.js';
import { messageOf } from '../message-of.js';

/** A client of the server or cluster that a connection string names, and the hosts in it for messages: a connection string may hold a password. */
export interface Connection {
  readonly client: EventStoreDBClient;
  readonly hosts: string;
}

/**
 * Reads a connection string of EventStoreDB or KurrentDB (`esdb://`, `esdb+discover://`, `kurrentdb://`, `kurrentdb+discover://`). Connects
 * only with the first call. Throws `unusable` when the string, or a certificate file that it names, can't be used.
 */
export const connect = (url: string): Connection => {
  // the client knows only the older name of the same protocol
  const known = url.trim().replace(/^kurrentdb(?=\+discover:\/\/|:\/\/)/, 'esdb');
  const hosts = /^esdb(?:\+discover)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(known)?.[1];
  if (hosts === undefined) throw new EventLogError({ kind: 'unusable' }, 'EVENT_LOG_URL must be a connection string of EventStoreDB such as esdb://user:password@host:2113?tls=true');
  try {
    return { client: EventStoreDBClient.connectionString(known), hosts };
  } catch (error) {
    // what the client says of a string that it can't parse may hold parts of it
    const why = /certificate|userCertFile/i.test(messageOf(error)) ? messageOf(error) : 'it is not one that the client of EventStoreDB can read';
    throw new EventLogError({ kind: 'unusable' }, `the connection string for ${hosts} can't be used: ${why}`);
  }
};

/** Closes the connection once there is one; the client has no way of its own to do that. Waits for nothing: a client that can't find its cluster goes on looking for long. */
export const disconnect = (client: EventStoreDBClient): void => {
  client['getChannel']().then((channel) => channel.close(), () => undefined);
};
