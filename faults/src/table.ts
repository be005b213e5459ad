import pc from 'picocolors';
import type { Comparison } from './compare/comparison.js';

const colors = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);

/** The comparisons of a run as a table: the figures of each claim, and whether it holds. */
export const tableOf = (comparisons: readonly Comparison[]): string => {
  const width = Math.max(...comparisons.map(({ claim }) => claim.length));
  return comparisons
    .map(({ claim, figures, differences }) => {
      const verdict =
        differences.length === 0
          ? colors.green('holds')
          : colors.red(`${differences.length} differences`);
      const counted = Object.entries(figures)
        .map(([name, count]) => `${name} ${count.toLocaleString('en')}`)
        .join(', ');
      return `${claim.padEnd(width)}  ${verdict}  ${colors.dim(counted)}`;
    })
    .join('\n');
};

/** The first differences of each claim, in words. */
export const differencesOf = (comparisons: readonly Comparison[], limit = 10): string[] =>
  comparisons.flatMap(({ claim, differences }) => [
    ...differences
      .slice(0, limit)
      .map(
        (difference) =>
          `${claim}: ${difference.length > longest ? `${difference.slice(0, longest)}…` : difference}`,
      ),
    ...(differences.length > limit ? [`${claim}: and ${differences.length - limit} more`] : []),
  ]);

const longest = 700;
