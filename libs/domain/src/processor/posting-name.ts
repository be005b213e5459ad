/**
 * The event processor that posts entries. Decisions about it, and about log time, are in
 * `refledger.processor-posting`.
 */
export const postingName = 'posting';
