import type { KeyId } from '@refledger/contracts';
import type { Build } from '@refledger/read-store';
import { collectionOf } from '@refledger/read-store/adapter';
import { Changes } from '../changes.js';
import type { Clock } from '../clock.js';
import { Builds } from './builds.js';
import type { CommittedDocument } from './committed-document.js';
import { Leases } from './leases.js';

/** The read models that a store in memory has committed. They outlive the handles that use them. */
export class CommittedReadModels {
  readonly builds = new Builds();
  readonly changes = new Changes();
  readonly leases: Leases;
  /** When API keys were last used. */
  readonly keyUses = new Map<KeyId, string>();
  private readonly documents = new Map<string, Map<string, CommittedDocument>>();

  /** Leases follow this clock, the store's own. */
  constructor(clock: Pick<Clock, 'now'>) {
    this.leases = new Leases(clock);
  }

  /** The documents of a collection by id. Throws `BuildNotFoundError`. */
  collection(build: Build, name: string): Map<string, CommittedDocument> {
    collectionOf(this.builds.present(build).collections, name);
    const key = keyOf(build, name);
    const documents = this.documents.get(key) ?? new Map<string, CommittedDocument>();
    this.documents.set(key, documents);
    return documents;
  }

  drop(build: Build): void {
    const stored = this.builds.all.find(({ id }) => id === build.id);
    for (const { name } of stored?.collections ?? []) this.documents.delete(keyOf(build, name));
    this.builds.remove(build);
  }
}

const keyOf = ({ id }: Build, collection: string): string => `${id} ${collection}`;
