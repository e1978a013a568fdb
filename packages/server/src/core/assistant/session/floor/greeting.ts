import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import { wordsOf } from './interruption.ts'

/** How a callee picks up. Recognisers write them in other spellings, too. */
const hellos: Readonly<Record<string, string>> = {
  all: 'hello, hallo, hullo, ello, allo, hi, hey',
  en: 'hello there, hi there, speaking, good morning, good afternoon, good evening, hey there, who is this, who is it',
  de: 'guten tag, guten morgen, guten abend, tag, moin, moin moin, servus, grüß gott, grüezi, bitte, wer ist da',
  fr: "allô, âllo, bonjour, bonsoir, j'écoute, qui est à l'appareil",
  es: 'hola, aló, diga, dígame, bueno, buenos días, buenas tardes, buenas noches, buenas, quién es, quién habla',
  it: 'pronto, ciao, buongiorno, buonasera, buon giorno, chi parla, chi è',
}

/** They are an answer if the assistant has just asked something. */
const yeses: Readonly<Record<string, string>> = {
  all: 'okay, mhm',
  en: 'yes, yeah, yep, yup',
  de: 'ja, jo, ja bitte, jaja',
  fr: 'oui, ouais',
  es: 'sí, si',
  it: 'sì, si',
}

const maxWords = 5

const phrasesOf = (lists: Readonly<Record<string, string>>, language: string): string[] =>
  `${lists['all']}, ${lists[language] ?? ''}`.split(',').map((phrase) => wordsOf(phrase).join(' '))

const known = new Map<string, { hellos: ReadonlySet<string>; all: ReadonlySet<string> }>()
const knownIn = (language: string) => {
  const [hello, yes] = [phrasesOf(hellos, language), phrasesOf(yeses, language)]
  const lists = known.get(language) ?? { hellos: new Set(hello), all: new Set([...hello, ...yes]) }
  known.set(language, lists)
  return lists
}

/** True for words that only greet. `answers`: a question was just asked, so a yes is an answer. `language`: BCP 47. */
export const isGreeting = (text: string, { language, answers }: { language: string; answers: boolean }): boolean => {
  const words = wordsOf(text)
  if (words.length === 0 || words.length > maxWords) return false
  const lists = knownIn(mainLanguage(language))
  const allowed = answers ? lists.hellos : lists.all
  for (let at = 0; at < words.length;) {
    const length = [4, 3, 2, 1].find((count) => at + count <= words.length && allowed.has(words.slice(at, at + count).join(' ')))
    if (length === undefined) return false
    at += length
  }
  return true
}
