import { type Db, MongoClient } from 'mongodb';

/** The bytes of all documents, with the names of their fields, by the name of their collection. */
export const storedDocuments = async (url: string): Promise<ReadonlyMap<string, Buffer>> => {
  const client = new MongoClient(url);
  try {
    const stored = new Map<string, Buffer>();
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    for (const { name } of databases)
      if (!ofServer.includes(name)) await addCollections(stored, client.db(name));
    return stored;
  } finally {
    await client.close();
  }
};

const ofServer = ['admin', 'config', 'local'];

const addCollections = async (stored: Map<string, Buffer>, db: Db): Promise<void> => {
  for (const collection of await db.collections()) {
    // with `raw`, the driver returns BSON, whose strings are UTF-8
    const documents: unknown[] = await collection.find({}, { raw: true }).toArray();
    stored.set(
      collection.namespace,
      Buffer.concat(documents.filter((document) => Buffer.isBuffer(document))),
    );
  }
};
