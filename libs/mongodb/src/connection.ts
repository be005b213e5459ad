import { MongoClient, type Db, type MongoClientOptions } from 'mongodb';
import { MongodbError, toMongodbError } from './mongodb-error.js';

/** A database on a server or cluster, with the write concern that Refledger requires. */
export interface MongodbConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/**
 * Connects to the database that the URL names, or to `refledger`, and pings the server unless
 * `waitForServer` is false. Every write must be acknowledged by a majority of the members, each
 * once the write is in its journal. All waits have limits, which the URL may change, so that a hung
 * server is noticed. Throws `MongodbError`.
 */
export const connectMongodb = async (
  url: string,
  appName: string,
  waitForServer = true,
): Promise<MongodbConnection> => {
  const client = clientOf(url, appName);
  const db = client.db(databaseIn(url) ?? 'refledger');
  try {
    if (waitForServer) await db.command({ ping: 1 });
  } catch (error) {
    await client.close();
    throw toMongodbError(error);
  }
  return { db, close: () => client.close() };
};

const bounds: MongoClientOptions = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 30_000,
  heartbeatFrequencyMS: 5_000,
};

const clientOf = (url: string, appName: string): MongoClient => {
  const defaults = Object.fromEntries(
    Object.entries(bounds).filter(([name]) => !new RegExp(`[?&]${name}=`, 'i').test(url)),
  );
  try {
    // Positions are 64-bit integers, which only a bigint holds.
    return new MongoClient(url, {
      appName,
      useBigInt64: true,
      ...defaults,
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
      readPreference: 'primary',
    });
  } catch {
    // The driver's error repeats the URL, including its password.
    throw new MongodbError(
      'unusable',
      'the MongoDB URL is invalid. Write it as mongodb://[user:password@]host[:port][,host…]/[database][?options].',
    );
  }
};

const databaseIn = (url: string): string | undefined =>
  /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(url)?.[1];
