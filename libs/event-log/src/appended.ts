import { channel } from 'node:diagnostics_channel';

const appended = channel('refledger:appended');

/**
 * Tells diagnostics how many events an append, or a group of them, has committed. The tests count
 * them (tools/jest/count-appended.cjs).
 */
export const reportAppended = (events: number): void => appended.publish({ events });
