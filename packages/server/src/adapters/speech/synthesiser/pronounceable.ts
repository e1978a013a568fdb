import type { VoiceLanguage } from './voice-languages.ts'

/** The German rules know no letters that stand alone. */
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

/** What the models' own rules can read: plain letters and the marks that they have learnt. Empty: there is nothing to say. */
export const pronounceable = (text: string, language: VoiceLanguage): string => {
  const letters = language === 'de' ? 'a-zA-ZäöüÄÖÜß' : 'a-zA-Z'
  const plain = withoutAccents(text, 'äöüÄÖÜß')
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
  return /\p{L}/u.test(tidy) ? tidy : ''
}
