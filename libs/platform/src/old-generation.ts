import { setFlagsFromString } from 'node:v8';

/**
 * The old generation of each thread is collected when it has grown by half since the last time. By itself V8, which counts on all memory of the machine, lets it
 * grow to four times: under load, where requests live long enough to get there, several hundred megabytes of garbage. So half a percent more time goes into
 * collecting under load, and none at rest.
 */
export const boundOldGeneration = (): void => setFlagsFromString('--heap-growing-percent=50');
