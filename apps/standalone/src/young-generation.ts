import { setFlagsFromString } from 'node:v8';

/**
 * Lets the young generation of each thread grow, or not. V8 sizes it from 1 to 16 MB, twice.
 * Loading hundreds of modules makes it grow to the full size and stay there, although an idle
 * service needs none of it: 60 MB over all threads. So it may not grow while the service starts,
 * but may once requests are served.
 */
export const growYoungGeneration = (allowed: boolean): void =>
  setFlagsFromString(`--semi-space-growth-factor=${allowed ? 2 : 1}`);

/**
 * Makes each thread collect its young generation alone. V8 would share each collection of a
 * millisecond or two among helper threads. Where the service's own threads keep the cores busy,
 * that costs more than the collection itself: a tenth of all CPU time under load.
 */
export const collectYoungGenerationAlone = (): void => setFlagsFromString('--no-parallel-scavenge');
