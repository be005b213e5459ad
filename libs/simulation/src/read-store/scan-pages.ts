import type { Build, ScanPage } from '@refledger/read-store';
import { compareText } from '@refledger/read-store/adapter';
import { toStored, type CommittedDocument } from './committed-document.js';
import type { CommittedReadModels } from './committed-read-models.js';

const pageSize = 500;

/** The documents of a collection by id, and the checkpoint of its build, at one instant. */
interface Snapshot extends Pick<ScanPage, 'checkpoint'> {
  readonly documents: readonly CommittedDocument[];
}

/** Throws `BuildNotFoundError`. */
export const snapshotOf = (
  committed: CommittedReadModels,
  build: Build,
  collection: string,
): Snapshot => ({
  checkpoint: committed.builds.present(build).checkpoint,
  documents: [...committed.collection(build, collection).values()]
    .filter(({ isTombstone }) => !isTombstone)
    .sort((a, b) => compareText(a.id, b.id)),
});

/** Yields pages of one snapshot, or, if the scan shows no instant, each page from a new one. */
export async function* scanPages(
  read: () => Promise<Snapshot>,
  isInstant: boolean,
): AsyncGenerator<ScanPage> {
  const atStart = await read();
  for (let page = atStart.documents.slice(0, pageSize); ;) {
    yield { documents: page.map(toStored), checkpoint: atStart.checkpoint };
    const last = page.at(-1);
    if (page.length < pageSize || last === undefined) return;
    const { documents } = isInstant ? atStart : await read();
    page = documents.filter(({ id }) => compareText(id, last.id) > 0).slice(0, pageSize);
  }
}
