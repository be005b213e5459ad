import { MongoClient } from 'mongodb';

/** Removes what a test has made on a server that goes on. */
export const dropDatabase = async (url: string, database: string): Promise<void> => {
  const client = new MongoClient(url);
  await client
    .db(database)
    .dropDatabase()
    .finally(() => client.close());
};
