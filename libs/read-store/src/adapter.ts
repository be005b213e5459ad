// Exports that every adapter of the port needs, for adapters outside this workspace.
export { compareText } from './compare-text.js';
export {
  documentIn,
  fieldOf,
  textOf,
  toKey,
  toTexts,
  type DocumentText,
  type KeyValue,
} from './document.js';
export { multikeyIndexOf } from './projection-spec.js';
export { collectionOf, planQuery } from './plan-query.js';
export { isReadableUpTo, type StoredBuild } from './readable-build.js';
export { storable } from './storable.js';
