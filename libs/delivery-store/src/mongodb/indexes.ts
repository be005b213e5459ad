import type { IndexDescription } from 'mongodb';
import { workIndexes } from './delivery-document.js';
import { listIndexes } from './lists.js';

/** The indexes of deliveries. */
export const indexesOfDeliveries: readonly IndexDescription[] = [...workIndexes, ...listIndexes];
