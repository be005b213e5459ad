import { MongoClient } from 'mongodb';

/** Drops the database of a test on a server that keeps running. */
export const dropDatabase = async (url: string, database: string): Promise<void> => {
  const client = new MongoClient(url);
  await client
    .db(database)
    .dropDatabase()
    .finally(() => client.close());
};
