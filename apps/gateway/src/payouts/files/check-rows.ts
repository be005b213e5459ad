import { checkedRows, type CheckedFile, type RowOrMissing } from '@refledger/queries';
import { isUsable, textOfRows, type PayoutTemplate } from './payout-template.js';

/** A file whose rows are checked. */
interface TemplateFile extends Pick<CheckedFile, 'acceptChanged'> {
  readonly template: PayoutTemplate;
}

/** Goes through the rows of a file. Throws like `checkedRows`. */
export const checkRows = async (
  pages: AsyncIterable<readonly RowOrMissing[]>,
  file: TemplateFile,
): Promise<void> => {
  for await (const _ of checkedRows(pages, checkOf(file)));
};

/** Returns the text of the very rows that it checks. Throws like `checkedRows`. */
export const checkedText = async (
  pages: AsyncIterable<readonly RowOrMissing[]>,
  file: TemplateFile,
): Promise<string> => {
  let text = '';
  for await (const rows of checkedRows(pages, checkOf(file)))
    text += textOfRows(file.template, rows);
  return text;
};

const checkOf = ({ template, acceptChanged }: TemplateFile): CheckedFile => ({
  forProvider: template.forProvider,
  isUsable: (row) => isUsable(template, row),
  acceptChanged,
});
