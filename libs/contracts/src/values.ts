// Values and functions that need no schemas. Storage threads import only these, since zod would cost
// each thread time and memory (tools/bundle.mjs checks that none contains it).
export { keysOf } from './keys-of.js';
export { toPosition } from './ids/position.js';
export { streamPrefix } from './ids/stream-name.js';
export { toInstant } from './instant.js';
export { fromJson, toJson } from './json.js';
