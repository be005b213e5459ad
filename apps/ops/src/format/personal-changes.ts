import { aggregates, isObject, type AffiliateValues } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import { changesOf, type Change } from './changes.js';

/** What `--personal` shows of an event: the values before and after it, or why they do not open. */
export type PersonalView =
  | {
      readonly kind: 'open';
      /** Undefined if the event changed none of them. */
      readonly before: AffiliateValues | undefined;
      readonly after: AffiliateValues;
    }
  /** The affiliate was erased. */
  | { readonly kind: 'erased' }
  | { readonly kind: 'failed'; readonly why: string };

/**
 * The personal values that an event changed. They are sealed, but the event says in the clear which
 * ones they are. The first event of an affiliate has them all: without a view, it shows only its
 * sealed text.
 */
export const personalChanges = (
  { type, data }: Pick<LoggedEvent, 'type' | 'data'>,
  view?: PersonalView,
): readonly Change[] => {
  if (!Object.hasOwn(aggregates.affiliate.events, type) || !isObject(data)) return [];
  const { changed } = data;
  const isFirst = !Array.isArray(changed);
  const fields = isFirst ? [] : changed.map(String);
  switch (view?.kind) {
    case 'open': {
      const { before, after } = view;
      return changesOf({
        data: isFirst ? { after } : { before: only(fields, before), after: only(fields, after) },
      });
    }
    case 'failed':
      return [{ field: 'sealed', after: view.why }];
    case 'erased':
      return isFirst ? [{ field: 'sealed', after: erased }] : fields.map(shownAs(erased));
    case undefined:
      return fields.map(shownAs(sealed));
  }
};

/** What stands for the sealed text in the JSON of an event. */
export const shownText = (view: PersonalView): unknown => {
  switch (view.kind) {
    case 'open':
      return view.after;
    case 'failed':
      return view.why;
    case 'erased':
      return erased;
  }
};

const { sealed } = aggregates.affiliate.secrets;
const erased = '[erased]';

const shownAs =
  (shown: string) =>
  (field: string): Change => ({ field, before: shown, after: shown });

const only = (fields: readonly string[], values: object = {}): object =>
  Object.fromEntries(Object.entries(values).filter(([field]) => fields.includes(field)));
