import { MongoClient } from 'mongodb';

interface RawDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/**
 * The baseline for measuring the read store's adapter: the bare driver, used as its documentation
 * shows, with the same write concern.
 */
export interface RawMongodb {
  /** Creates a collection with one index per list of fields. */
  collection(
    name: string,
    indexes: readonly (readonly string[])[],
  ): Promise<{
    insert(documents: readonly RawDocument[]): Promise<void>;
    replace(documents: readonly RawDocument[]): Promise<void>;
  }>;
  close(): Promise<void>;
}

export const openRawMongodb = (url: string): RawMongodb => {
  const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
  return {
    collection: async (name, indexes) => {
      const collection = client.db('raw').collection<RawDocument>(name);
      await collection.createIndexes(
        indexes.map((fields) => ({ key: Object.fromEntries(fields.map((field) => [field, 1])) })),
      );
      return {
        insert: async (documents) =>
          void (await collection.insertMany([...documents], { ordered: false })),
        replace: async (documents) =>
          void (await collection.bulkWrite(
            documents.map(({ _id, ...rest }) => ({
              replaceOne: { filter: { _id }, replacement: rest },
            })),
            { ordered: false },
          )),
      };
    },
    close: () => client.close(),
  };
};
