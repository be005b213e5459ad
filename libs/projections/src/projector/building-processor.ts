import { comparePositions, type Position } from '@refledger/contracts';
import type { ProcessorState } from '@refledger/domain';
import { rebuildsByDecision } from './log-time-builds.js';
import { groupProcessor, projectorName, type GroupProcessorOptions } from './group-processor.js';
import { largeBulk, type ProjectionGroup } from './projection-group.js';

/** How often the progress of building is logged. */
const reportEveryMs = 3000;

/**
 * Follows the log with builds that no one reads yet, until they reach its head and go live. `now`
 * returns milliseconds since 1970.
 */
export const buildingProcessor = (options: GroupProcessorOptions, now: () => number) => {
  const { log, store, logger, builds, regroup } = options;
  const names = builds.map(({ projection }) => projection.name);
  let head: Position | undefined;
  let reportedAt = now();
  const goLiveAtHead = async (group: ProjectionGroup): Promise<void> => {
    if (isBehind(group.position, head)) return;
    head = await log.head();
    if (head === undefined || isBehind(group.position, head)) return;
    await group.flush();
    if (await goLive(group, options)) regroup();
  };
  const processor = groupProcessor({ ...options, bulk: largeBulk }, async (batch, group, begun) => {
    const projections = builds.map(({ projection }) => projection);
    const requests = rebuildsByDecision(projections, group, batch, begun);
    for (const { projection, cause } of requests)
      await store.createBuild(projection, log.id, cause);
    if (requests.length > 0) return regroup();
    await group.apply(batch, begun.skipped, begun.decisions);
    if (now() - reportedAt > reportEveryMs) {
      reportedAt = now();
      logger.info(
        { processor: projectorName, projections: names, position: group.position, head },
        `building ${names.join(', ')}: at position ${group.position} of ${head}`,
      );
    }
    await goLiveAtHead(group);
  });
  logger.info(
    { processor: projectorName, projections: names, position: processor.group.position },
    `building ${names.join(', ')}`,
  );
  return {
    ...processor,
    start: async (decisions: ProcessorState) => {
      const after = await processor.start(decisions);
      await goLiveAtHead(processor.group);
      return after;
    },
  };
};

/**
 * True if any build went live. A build that a live one has overtaken tries again after its next
 * batch.
 */
const goLive = async (
  group: ProjectionGroup,
  { store, logger }: GroupProcessorOptions,
): Promise<boolean> => {
  let any = false;
  for (const { build, projection } of group.builds) {
    if (!(await store.goLive(build))) continue;
    any = true;
    logger.info(
      {
        processor: projectorName,
        projection: projection.name,
        build: build.id,
        position: group.position,
      },
      `${projection.name} has been built and now serves reads`,
    );
  }
  return any;
};

const isBehind = (position: Position | undefined, head: Position | undefined): boolean =>
  head !== undefined && (position === undefined || comparePositions(position, head) < 0);
