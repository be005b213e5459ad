import { plain } from '../document.js';
import type { Build, IndexSpec } from '../read-store.js';

/** Holds one document per projection, with all its builds. */
export const readModelsName = 'read_models';
/** Holds one document per lease. */
export const leasesName = 'read_model_leases';
/** Holds one document per API key that was used. */
export const keyUsesName = 'api_key_uses';

/** The MongoDB collection that holds a collection of a build. */
export const collectionNameOf = (
  build: Pick<Build, 'id' | 'projection' | 'version'>,
  collection: string,
): string =>
  `projection.${plain(build.projection)}.v${build.version}.${build.id}.${plain(collection)}`;

/** Matches the names of collections that belong to builds. */
export const buildCollections = /^projection\.[a-z0-9_]+\.v\d+\.[0-9a-f]+\.[a-z0-9_]+$/;

/** The id of the build that a MongoDB collection belongs to. */
export const buildIdIn = (collectionName: string): string | undefined =>
  buildCollections.test(collectionName) ? collectionName.split('.')[3] : undefined;

/** The path of an indexed field's value. */
export const keyOf = (field: string): string => `key.${plain(field)}`;

export const indexNameOf = ({ fields }: IndexSpec): string => `by_${fields.map(plain).join('_')}`;
