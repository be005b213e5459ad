import type { Build, ReadStore } from '@refledger/read-store';

/**
 * Opens a snapshot by starting a scan and reading its first page: a collection as of one instant,
 * in the order of ids, with the checkpoint of that instant. A store without instant scans gives
 * only its checkpoint as of the start. The snapshot holds the instant until it is closed.
 */
export const openSnapshot = async (store: ReadStore, build: Build, collection: string) => {
  const pages = store.scan(build, collection)[Symbol.asyncIterator]();
  const first = await pages.next();
  return {
    checkpoint: first.done === true ? undefined : first.value.checkpoint,
    async *documents() {
      for (let page = first; page.done !== true; page = await pages.next())
        yield* page.value.documents;
    },
    close: async () => void (await pages.return?.()),
  };
};
