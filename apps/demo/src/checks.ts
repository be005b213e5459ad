import type { Answers } from './answers.js';
import type { Books } from './books.js';
import type { Check } from './ledger.js';
import type { Receiver } from './receiver.js';

/** The checks beside the ledger's figures. */
export const checksOf = ({
  books,
  receiver,
  answers,
  kills,
}: {
  readonly books: Books;
  readonly receiver: Pick<Receiver, 'tally' | 'events'>;
  readonly answers: Answers;
  readonly kills: number;
}): Check[] => {
  const { arrived, valid, repeated, changed, turnedAway } = receiver.tally;
  const named = [...answers.accepted.values()];
  const answered =
    named.flat().length + [...answers.refused.values()].reduce((sum, times) => sum + times, 0);
  const missing = [...books.events].filter((event) => !receiver.events.has(event));
  const extra = [...receiver.events].filter((event) => !books.events.has(event));
  const refusedRightly = books.refused.filter(({ number }) => answers.refused.has(number)).length;
  return [
    {
      label: 'orders sent again name the same sale',
      found: `${named.flat().length - named.length} duplicates`,
      holds: answered === books.sent && named.every((ids) => new Set(ids).size === 1),
    },
    {
      label: 'sales of the suspended affiliate are refused',
      found: `${answers.refused.size} of ${books.refused.length}`,
      holds:
        refusedRightly === books.refused.length && answers.refused.size === books.refused.length,
    },
    {
      label: 'answers that nobody expected',
      found: answers.unexpected.join(', ') || 'none',
      holds: answers.unexpected.length === 0,
    },
    {
      label: 'events told by webhooks',
      found: `${books.events.size - missing.length} of ${books.events.size}${extra.length > 0 ? `, and ${extra.length} that never happened` : ''}`,
      holds: missing.length === 0 && extra.length === 0,
    },
    {
      label: 'signatures verified',
      found: `${valid} of ${arrived}`,
      holds: valid === arrived && arrived > 0,
    },
    {
      label: 'webhooks that came twice have the same bytes',
      found: changed > 0 ? `${changed} of ${repeated} have not` : `${repeated} came twice`,
      holds: changed === 0,
    },
    {
      label: 'webhooks turned away while the receiver was closed',
      found: `${turnedAway}, sent again later`,
      holds: true,
    },
    { label: 'kill -9 of the service in the middle', found: String(kills), holds: kills === 1 },
  ];
};
