import { MongoClient } from 'mongodb';

export interface RawDocument {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** What the read store's adapter is measured against: the driver by itself, used as its own documentation shows, under the same write concern. */
export interface RawMongodb {
  /** Makes a new collection with indexes on these fields. */
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
