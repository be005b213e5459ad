export * from './backoff.js';
export * from './decisions.js';
export * from './follow.js';
export * from './follower-progress.js';
export * from './follower-refusal.js';
export * from './poison-event.js';
