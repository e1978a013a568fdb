import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'

const listOf = (phrases: string): ReadonlySet<string> =>
  new Set(
    phrases
      .split(/[,\n]/)
      .map((phrase) => phrase.trim())
      .filter((phrase) => phrase !== ''),
  )

/** What the English recogniser makes of a hum, and of an "okay" that is said slowly. */
const hums = 'mum, hum, aum, on them, and them, on the hum, o pay, oh pay, o pei, oh pen, o petty'
/** "Unham", "on hum", "anhan", "on how": two vowels of the same kind, each through the nose. */
const hummed = /^[aou][mn]h[aou][mnw]$/
/** Sounds rather than words, much the same everywhere. Recognisers also write coughs and groans as some of these. */
const sounds = 'mhm, mm, mmm, mm hm, hm, hmm, uh, uhm, um, ah, aha, oh, ooh, ow, ha, haha, eh, ok, okay'

/** Said to show that one listens, without wanting the floor. */
const backChannels: Readonly<Record<string, ReadonlySet<string>>> = {
  en: listOf(`${sounds}, ${hums}, uh huh, uhhuh, huh, yeah, yes, yep, yup, right, sure, wow, alright, all right, good, great, fine, well, us, but, hey
    i see, got it, of course, exactly, cool, nice, very good, sounds good, makes sense`),
  de: listOf(`${sounds}, äh, ähm, hä, ach, ach so, achso, ja, jaja, jo, jep, genau, richtig, stimmt, gut, klar, alles klar, so, na, aua, verstehe,
    ich verstehe, super, prima, schön, sehr gut, gerne, in ordnung, natürlich, eben, tja`),
  fr: listOf(`${sounds}, euh, heu, hein, ouais, oui, ouah, d'accord, voilà, bien, très bien, bien sûr, je vois, je comprends, exactement, tout à fait,
    c'est ça, ça marche, ça va, bon, ah bon, entendu, super, parfait, aïe`),
  es: listOf(`${sounds}, este, sí, si, ya, ajá, vale, claro, claro que sí, bueno, bien, muy bien, está bien, de acuerdo, exacto, eso, ya veo, entiendo,
    perfecto, por supuesto, correcto, ay`),
  it: listOf(`${sounds}, ehm, beh, mah, boh, sì, si, già, certo, esatto, giusto, bene, va bene, molto bene, d'accordo, capisco, ho capito, perfetto,
    ottimo, ecco, bravo, ahi`),
}
const clusterWide = listOf(sounds)

/** One of these is enough to stop, however unsure the recogniser is. */
const stopWords: Readonly<Record<string, ReadonlySet<string>>> = {
  en: listOf('stop, wait, no, hello, sorry, excuse, hang, hold'),
  de: listOf('stopp, stop, halt, moment, nein, hallo, warte, warten, entschuldigung, sekunde'),
  fr: listOf('stop, arrêtez, arrête, attendez, attends, non, allô, pardon, excusez, minute'),
  es: listOf('pare, alto, espera, espere, no, hola, perdón, perdone, disculpe, momento'),
  it: listOf('stop, basta, aspetti, aspetta, no, pronto, scusi, scusa, fermo, momento'),
}

/** In lower case, without marks. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
    .split(' ')
    .filter((word) => /[\p{L}\p{N}]/u.test(word))

/** What is left of the words without those that only show that one listens. `language`: BCP 47. */
export const withoutBackChannels = (words: readonly string[], language: string): string[] => {
  const main = mainLanguage(language)
  const known = backChannels[main] ?? clusterWide
  const isKnown = (some: readonly string[]): boolean => known.has(some.join(' ')) || (main === 'en' && hummed.test(some.join('')))
  const left: string[] = []
  for (let at = 0; at < words.length;) {
    const length = [3, 2, 1].find((count) => count <= words.length - at && isKnown(words.slice(at, at + count)))
    if (length === undefined) left.push(words[at]!)
    at += length ?? 1
  }
  return left
}

export const isStopWord = (word: string, language: string): boolean => stopWords[mainLanguage(language)]?.has(word) ?? false
