import type { Build, IndexSpec } from '../read-store.js';

/** Documents by projection, with all builds of each. */
export const readModelsName = 'read_models';
/** Leases by name. */
export const leasesName = 'read_model_leases';

/** The MongoDB collection that holds a collection of a build. */
export const collectionNameOf = (
  build: Pick<Build, 'id' | 'projection' | 'version'>,
  collection: string,
): string =>
  `projection.${plain(build.projection)}.v${build.version}.${build.id}.${plain(collection)}`;

/** All that may be collections of builds. */
export const buildCollections = /^projection\.[a-z0-9_]+\.v\d+\.[0-9a-f]+\.[a-z0-9_]+$/;

/** The build that a MongoDB collection is of. */
export const buildIdIn = (collectionName: string): string | undefined =>
  buildCollections.test(collectionName) ? collectionName.split('.')[3] : undefined;

/** Where the value of an indexed field is. */
export const keyOf = (field: string): string => `key.${plain(field)}`;

export const indexNameOf = ({ fields }: IndexSpec): string => `by_${fields.map(plain).join('_')}`;

/** Names become part of paths, so they are plain. */
export const plain = (text: string): string => {
  if (!/^[a-z0-9][a-z0-9_]*$/.test(text))
    throw new TypeError(
      `${JSON.stringify(text)} can't be a name in the read store: lower-case letters, digits and _ only`,
    );
  return text;
};
