import { comparePositions, type Position } from '@refledger/contracts';
import type { FollowerState } from '@refledger/domain';
import { groupFollower, type GroupFollowerOptions } from './group-follower.js';
import { largeBulk, type ViewGroup } from './view-group.js';

/** How often building says in the log how far it has come. */
const sayEveryMs = 3000;

/** Follows the log with builds that nobody reads yet, until they have come to its head and go live. `now` is in milliseconds since 1970. */
export const buildingFollower = (options: GroupFollowerOptions, now: () => number) => {
  const { name, log, logger, builds, regroup } = options;
  const names = builds.map(({ view }) => view.name);
  let head: Position | undefined;
  let said = now();
  const goLiveAtHead = async (group: ViewGroup): Promise<void> => {
    if (isBehind(group.position, head)) return;
    head = await log.head();
    if (head === undefined || isBehind(group.position, head)) return;
    await group.flush();
    if (await goLive(group, options)) regroup();
  };
  const follower = groupFollower({ ...options, bulk: largeBulk }, async (batch, group, skipped) => {
    await group.take(batch, skipped);
    if (now() - said > sayEveryMs) {
      said = now();
      logger.info(
        { follower: name, views: names, position: group.position, head },
        `building ${names.join(', ')}: at position ${group.position} of ${head}`,
      );
    }
    await goLiveAtHead(group);
  });
  logger.info(
    { follower: name, views: names, position: follower.group.position },
    `building ${names.join(', ')}`,
  );
  return {
    ...follower,
    begin: async (decisions: FollowerState) => {
      const after = await follower.begin(decisions);
      await goLiveAtHead(follower.group);
      return after;
    },
  };
};

/** True when any went live; one that was overtaken meanwhile tries again after its next batch. */
const goLive = async (
  group: ViewGroup,
  { name, store, logger }: GroupFollowerOptions,
): Promise<boolean> => {
  let any = false;
  for (const { build, view } of group.builds) {
    if (!(await store.goLive(build))) continue;
    any = true;
    logger.info(
      { follower: name, view: view.name, build: build.id, position: group.position },
      `${view.name} is built and live`,
    );
  }
  return any;
};

const isBehind = (position: Position | undefined, head: Position | undefined): boolean =>
  head !== undefined && (position === undefined || comparePositions(position, head) < 0);
