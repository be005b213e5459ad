/** The values by which `q` finds an affiliate. */
export interface SearchedValues {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly external_id: string | null;
}

/**
 * Returns the search terms of an affiliate, before hashing: the prefixes of 3, 5, 8 and 12
 * characters (code points) of its id, of each word of its name, of its email and of its
 * `external_id`.
 */
export const termsOf = (values: SearchedValues): ReadonlySet<string> =>
  new Set(searchedTexts(values).flatMap(prefixes));

/** What a client searches for with `q`. */
export interface SearchQuery {
  /**
   * Every affiliate that matches has at least one of these terms. There are two if the text can be
   * the start of an id, email or `external_id`, and also several words of a name.
   */
  readonly terms: readonly string[];
  /**
   * Whether the text is a prefix of the id, of a word of the name, of the email or of the
   * `external_id`, or each of its words is a prefix of a word of the name.
   */
  matches(values: SearchedValues): boolean;
}

/** Parses the text of `q`. Null if it has fewer than 3 characters, which select nothing. */
export const searchQuery = (q: string): SearchQuery | null => {
  const whole = folded(q).trim();
  const term = longestTerm([whole]);
  if (term === undefined) return null;
  // an address is no name
  const words = whole.includes('@') ? [] : wordsOf(whole);
  const nameTerm = longestTerm(words);
  return {
    terms: nameTerm === undefined || nameTerm === term ? [term] : [term, nameTerm],
    matches: (values) =>
      searchedTexts(values).some((text) => text.startsWith(whole)) ||
      (nameTerm !== undefined && eachStartsOneOf(words, wordsOf(folded(values.name)))),
  };
};

const termLengths = [3, 5, 8, 12];

/** What a text must be a prefix of to match. */
const searchedTexts = ({ id, name, email, external_id }: SearchedValues): readonly string[] => [
  folded(id),
  ...nameTexts(folded(name)),
  folded(email),
  folded(external_id ?? ''),
];

/** A name of short words only, such as Li Na, is found as a whole. */
const nameTexts = (name: string): readonly string[] => {
  const words = wordsOf(name);
  return longestTerm(words) === undefined ? [name] : words;
};

const wordsOf = (name: string): readonly string[] =>
  name.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '');

const eachStartsOneOf = (prefixes: readonly string[], words: readonly string[]): boolean =>
  prefixes.every((prefix) => words.some((word) => word.startsWith(prefix)));

const prefixes = (text: string): readonly string[] => {
  const characters = [...text];
  return termLengths
    .filter((length) => length <= characters.length)
    .map((length) => characters.slice(0, length).join(''));
};

/** The longest of all terms of these words; undefined if each word is too short for one. */
const longestTerm = (words: readonly string[]): string | undefined => {
  const byWord = words.map((word) => [...word]);
  for (const length of termLengths.toReversed()) {
    const word = byWord.find((characters) => characters.length >= length);
    if (word !== undefined) return word.slice(0, length).join('');
  }
  return undefined;
};

/**
 * Equal for texts that differ in letter case and compatible forms only. Lower case may undo the
 * composition, and has two forms of the Greek sigma.
 */
const folded = (text: string): string =>
  text.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');
