import type { DataSet } from '../../data-set/data-sets.js';
import type { Target } from '../../load/load-plan.js';
import type { Service } from '../../service/service.js';

/** One kind of read: a GET of many paths. */
export interface ReadKind {
  readonly name: string;
  readonly title: string;
  /**
   * The paths to read, each with the response that it must have every time. Throws when a response
   * of the service differs from the known facts about the data set.
   */
  readonly targets: (service: Service, dataSet: DataSet) => Promise<readonly Target[]>;
}

/** Reads every path once and checks the response. */
export const checkedTargets = async <T>(
  service: Service,
  reads: readonly (readonly [path: string, check: (response: T) => boolean])[],
): Promise<readonly Target[]> => {
  const targets: Target[] = [];
  for (let start = 0; start < reads.length; start += concurrency) {
    targets.push(
      ...(await Promise.all(
        reads.slice(start, start + concurrency).map(async ([path, check]) => {
          const body = await service.text(path);
          if (!check(JSON.parse(body) as T))
            throw new Error(`GET ${path} differs from the data set: ${body.slice(0, 500)}`);
          return { path, body };
        }),
      )),
    );
  }
  return targets;
};

const concurrency = 32;

/** About `wanted` of these, spread evenly over all. */
export const some = <T>(all: readonly T[], wanted: number): readonly T[] => {
  const every = Math.max(1, Math.floor(all.length / wanted));
  return all.filter((_, index) => index % every === 0);
};
