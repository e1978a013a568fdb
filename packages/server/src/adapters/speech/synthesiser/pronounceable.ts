import type { WordInIpa } from '#core/kernel/ports/speech.ts'
import { anyOf } from '#core/speech/voices/lexicon.ts'
import type { VoiceLanguage } from './voice-languages.ts'

/** The German rules know no single letters. */
const germanLetters: Record<string, string> = Object.fromEntries(
  (
    'A:ah B:beh C:zeh D:deh E:eh F:eff G:geh H:hah I:ih J:jott K:kah L:ell M:emm N:enn O:oh P:peh Q:kuh R:err S:ess T:teh U:uh V:vau ' +
    'W:weh X:iks Y:üpsilon Z:zett Ä:äh Ö:öh Ü:üh'
  )
    .split(' ')
    .map((pair) => pair.split(':')),
)

const withoutAccents = (text: string, kept: string): string =>
  Array.from(text.normalize('NFC'), (character) =>
    kept.includes(character) ? character : character.normalize('NFD').replace(/\p{M}/gu, ''),
  ).join('')

/** Private-use characters stand for words in IPA: the first for the first word, and so on. */
export const firstIpaMark = 0xe000
export const maxIpaMarks = 400
export const ipaMark = /([\ue000-\uf8ff])/

const withMarks = (text: string, words: readonly WordInIpa[]): string => {
  const plain = text.replace(/[\ue000-\uf8ff]/g, ' ')
  if (words.length === 0) return plain
  const places = new Map(words.map(({ word }, i) => [word.toLowerCase(), i] as const).toReversed())
  const mark = (word: string): string => String.fromCodePoint(firstIpaMark + (places.get(word.toLowerCase()) ?? 0))
  return plain.replace(anyOf(words.map(({ word }) => word)), mark)
}

/**
 * Reduces text to characters that the models' rules can read: plain letters and trained punctuation, and marks for words in IPA. Empty if
 * there is nothing to say.
 */
export const pronounceable = (text: string, language: VoiceLanguage, words: readonly WordInIpa[] = []): string => {
  const letters = `${language === 'de' ? 'a-zA-ZäöüÄÖÜß' : 'a-zA-Z'}\ue000-\uf8ff`
  const plain = withoutAccents(withMarks(text, words), 'äöüÄÖÜß')
    .replace(/[’‘`´]/g, "'")
    .replace(/\bE-Mail/g, 'Email')
    .replace(/\s[–—-]+\s|[:;()[\]–—]/g, ', ')
    .replace(/[-/]/g, ' ')
    .replace(new RegExp(`[^${letters}'.,!?… ]`, 'g'), ' ')
  const named = language === 'de' ? plain.replace(/(?<![\p{L}'])\p{L}(?![\p{L}'])/gu, (letter) => germanLetters[letter] ?? letter) : plain
  const tidy = named
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,!?…])/g, '')
    .replace(/,(?=[.,!?…])/g, '')
    .replace(/^[\s,.!?…']+/, '')
    .trim()
  return /[\p{L}\ue000-\uf8ff]/u.test(tidy) ? tidy : ''
}
