// Exports that every adapter of the port needs, for adapters outside this workspace.
export { encodeAppend, requireStreamName, type EncodedAppend } from './encode-append.js';
export { unavailable, wrongRevision } from './event-log-error.js';
export { opening, type NewLog } from './opening.js';
export { wholeAppends } from './whole-appends.js';
