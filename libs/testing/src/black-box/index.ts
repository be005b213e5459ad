export * from './groups.js';
export { longRecordsSuite } from './long-records.suite.js';
export { noRateLimitSettings } from './rate-limit.suite.js';
