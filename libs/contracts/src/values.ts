// What needs no schema. A storage thread imports only these: zod would cost each thread a tenth of a
// second and several megabytes (tools/bundle.mjs checks that none contains it).
export { keysOf } from './aggregates/aggregate.js';
export { toPosition } from './ids/position.js';
export { streamPrefix } from './ids/stream-name.js';
export { toInstant } from './instant.js';
