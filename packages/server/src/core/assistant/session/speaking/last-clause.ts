import { estimatedMs, type TimedWords } from './heard-text.ts'

const question = /[?？؟]["'”’»)\]\s]*$/
/** Where a clause begins: after a mark, or at the beginning. */
const clauseBeginnings = /(?:^|[,;:.!?…–—]\s+)(?=\S)/g
/** However short the clause is, who answers in the last second answers. */
const minMs = 1000

/**
 * From when on the words of a speech that ends in a question are in their last clause, in milliseconds since its first sample; undefined: it
 * does not end in one. `wantsAnswer`: it need not. Like `heardText`, takes the words of an utterance to be spread evenly.
 */
export const lastClauseFrom = (utterances: readonly TimedWords[], wantsAnswer = false): number | undefined => {
  const last = utterances.findLast(({ text }) => text !== '')
  if (!last || !(wantsAnswer || question.test(last.text))) return undefined
  const { text, fromMs, toMs = fromMs + estimatedMs(text) } = last
  const beginning = [...text.matchAll(clauseBeginnings)].at(-1)
  const share = beginning ? (beginning.index + beginning[0].length) / text.length : 0
  return Math.min(fromMs + share * (toMs - fromMs), toMs - minMs)
}
