export * from './backoff.js';
export * from './decisions.js';
export * from './follow.js';
export * from './processor-progress.js';
export * from './processor-refusal.js';
export * from './poison-event.js';
