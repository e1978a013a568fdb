import type { InterruptionReason } from '@offhook/contract/v2/timeline.ts'
import { hasEnoughCharacters, type BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { Cut } from '../conversation.ts'
import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'

/** Words recognised while the assistant speaks. */
export interface Interjection {
  text: string
  /** Missing if the recogniser gives none; its words are then trusted. */
  confidence?: number | undefined
  /** BCP 47. */
  language: string
  /** Voiced milliseconds so far. */
  voicedMs: number
  /** The last clause of a question is playing: "yes" then answers it and is no back-channel. */
  answers: boolean
  /** The caller's turn is over or was typed: no better transcript will follow. */
  final: boolean
}

/** Confidence below which single words are guesses. */
const sure = 0.6
/** Confidence at which two words are hardly both wrong, unless there was no time for two: recognisers invent words for a beginning. */
const likely = 0.4
const twoWordsMs = 300
/** Minimum confidence at the end of a turn; less certain words are ignored. */
const clear = 0.5
/** Milliseconds after which a voice with a word in it claims the floor. */
const longVoiceMs = 700
/** Fewer letters are as likely part of a longer word, or of a cough. */
const minLetters = 3
const minLettersOfAnswers = 2

/** Maximum speaking rate; the recogniser may complete a word by up to two letters. */
const lettersPerSecond = 22
const guessedLetters = 2
const isSayable = (letters: number, ms: number): boolean => letters <= guessedLetters + (lettersPerSecond * ms) / 1000

/** Reason why these words stop the assistant (barge-in strategy `words`); undefined if they do not. */
export const reasonToStop = (heard: Interjection): InterruptionReason | undefined => {
  const { text, language, answers, voicedMs, final } = heard
  const all = wordsOf(text)
  const said = answers ? all : withoutBackChannels(all, language)
  if (said.length === 0) return undefined
  if (said.some((word) => isStopWord(word, language))) return 'stop_word'
  const confidence = heard.confidence ?? 1
  if (final) return confidence >= clear ? (answers ? 'answer' : 'end_of_turn') : undefined
  const letters = said.join('').replaceAll("'", '').length
  if (letters < (answers ? minLettersOfAnswers : minLetters) || !isSayable(letters, voicedMs)) return undefined
  const several = new Set(said).size > 1 && voicedMs >= twoWordsMs
  if (confidence >= sure || (several && confidence >= likely)) return answers ? 'answer' : 'words'
  return voicedMs >= longVoiceMs ? 'long_voice' : undefined
}

/** Cut that these words cause under this rule, if any. */
export const cutBy = (rule: BargeInRule, heard: Interjection): Cut | undefined => {
  const enough = rule.strategy !== 'words' && hasEnoughCharacters(rule, heard.text) ? 'characters' : undefined
  const reason = rule.strategy === 'words' ? reasonToStop(heard) : enough
  return reason && { reason, text: heard.text }
}

/** True for words that are all back-channels. */
export const isBackChannel = (text: string, language: string): boolean => {
  const words = wordsOf(text)
  return words.length > 0 && withoutBackChannels(words, language).length === 0
}

const listOf = (phrases: string): ReadonlySet<string> =>
  new Set(
    phrases
      .split(/[,\n]/)
      .map((phrase) => phrase.trim())
      .filter((phrase) => phrase !== ''),
  )

/** English recogniser output for a hum and for a slow "okay". */
const hums = 'mum, hum, aum, on them, and them, on the hum, o pay, oh pay, o pei, oh pen, o petty'
/** "Unham", "on hum", "anhan", "on how": two nasal vowels of the same kind. */
const hummed = /^[aou][mn]h[aou][mnw]$/
/** Sounds rather than words, similar in all languages. Recognisers also write coughs and groans as some of these. */
const sounds = 'mhm, mm, mmm, mm hm, hm, hmm, uh, uhm, um, ah, aha, oh, ooh, ow, ha, haha, eh, ok, okay'

/** Back-channels: signal attention without claiming the floor. */
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
const anyLanguage = listOf(sounds)

/** Words that always interrupt, at any confidence. */
const stopWords: Readonly<Record<string, ReadonlySet<string>>> = {
  en: listOf('stop, wait, no, hello, sorry, excuse, hang, hold'),
  de: listOf('stopp, stop, halt, moment, nein, hallo, warte, warten, entschuldigung, sekunde'),
  fr: listOf('stop, arrêtez, arrête, attendez, attends, non, allô, pardon, excusez, minute'),
  es: listOf('pare, alto, espera, espere, no, hola, perdón, perdone, disculpe, momento'),
  it: listOf('stop, basta, aspetti, aspetta, no, pronto, scusi, scusa, fermo, momento'),
}

/** Lower case, without punctuation. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
    .split(' ')
    .filter((word) => /[\p{L}\p{N}]/u.test(word))

/** Removes back-channels. `language`: BCP 47. */
const withoutBackChannels = (words: readonly string[], language: string): string[] => {
  const main = mainLanguage(language)
  const known = backChannels[main] ?? anyLanguage
  const isKnown = (some: readonly string[]): boolean => known.has(some.join(' ')) || (main === 'en' && hummed.test(some.join('')))
  const left: string[] = []
  for (let at = 0; at < words.length;) {
    const length = [3, 2, 1].find((count) => count <= words.length - at && isKnown(words.slice(at, at + count)))
    if (length === undefined) left.push(words[at]!)
    at += length ?? 1
  }
  return left
}

const isStopWord = (word: string, language: string): boolean => stopWords[mainLanguage(language)]?.has(word) ?? false
