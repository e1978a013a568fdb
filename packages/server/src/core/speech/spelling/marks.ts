/** Recognisers guess marks: some come twice, some after a space, and not every sentence begins with a capital. */
export const tidyMarks = (text: string): string =>
  text
    .replaceAll(/[’ʼ]/gu, "'")
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ (?=[,.;:!?](?:\s|$))/gu, '')
    .replaceAll(/,(?=[.!?])/gu, '')
    .replaceAll(/([,;:!?])[,;:.]+(?=\s|$)/gu, '$1')
    .replaceAll(/(?<!\.)\.{2}(?!\.)/gu, '.')
    .replaceAll(/([!?])\1+/gu, '$1')
    .trim()

/** After these a full stop ends no sentence. */
const abbreviations = new Set(
  'dr mr mrs ms st prof nr no vs str ca bzw usw inkl zzgl evtl tel min max sr sra jr hr fr ing sig dott mme mlle etc'.split(' '),
)

/** Of each sentence the first letter. A number before the full stop may be an ordinal, a single letter an abbreviation. */
export const capitalised = (text: string): string => {
  const withFirst = text.replace(/^([^\p{L}\p{N}]*)(\p{Ll})/u, (_, marks: string, letter: string) => marks + letter.toUpperCase())
  return withFirst.replaceAll(/(?<=(\p{L}+)([.!?])["»”]? )\p{Ll}/gu, (letter, word: string, mark: string) => {
    const isShort = mark === '.' && (word.length === 1 || abbreviations.has(word.toLowerCase()))
    return isShort ? letter : letter.toUpperCase()
  })
}
