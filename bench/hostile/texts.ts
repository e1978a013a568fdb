import { readSearch } from '#core/account/contacts/typed-search.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import { spelled } from '#core/speech/spelling/spelling.ts'
import { readSpeech } from '#core/speech/ssml/read-speech.ts'
import { Redactor } from '#core/kernel/redaction/redactor.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import { cutText } from '#core/messages/sms/text/segments.ts'
import { all, around, fedWith, type Entry } from './entry.ts'
import { jsonShapes, textShapes, xmlShapes } from './shapes.ts'

const longestSpeech = 10_000
const languages = ['de-DE', 'en-US']
const redactor = new Redactor(['card', 'iban', 'phone', 'email', 'digits'])

/** Texts that are spoken, displayed, searched or sent. */
export const textEntries = (): Entry[] => [
  {
    name: 'SSML',
    bytes: longestSpeech,
    shapes: fedWith(
      all(
        xmlShapes(longestSpeech, 'speak'),
        around(textShapes(longestSpeech - 20), (text) => `<speak>${text}</speak>`),
      ),
      (ssml) => readSpeech({ ssml, language: 'de-DE' }),
    ),
  },
  ...languages.map((language): Entry => ({
    name: `text that is said (${language})`,
    bytes: longestSpeech,
    shapes: fedWith(textShapes(longestSpeech), (text) => utterancesOf(text, language).map((one) => spokenText(one, language))),
  })),
  ...languages.map((language): Entry => ({
    name: `transcript (${language})`,
    bytes: 2_000,
    shapes: fedWith(textShapes(2_000), (text) => spelled(text, language)),
  })),
  {
    name: 'body in the timeline of a flow that redacts',
    bytes: 64 * 1024,
    shapes: fedWith(all(textShapes(64 * 1024), jsonShapes(64 * 1024), textShapes(11_900)), (body) => redactor.body(body)),
  },
  { name: 'search', bytes: 100, shapes: fedWith(textShapes(100), (text) => readSearch(text, 'DE')) },
  { name: 'phone number', bytes: 1_000, shapes: fedWith(textShapes(1_000), (text) => parseNumber(text, 'DE')) },
  { name: 'text of an SMS', bytes: 6_400, shapes: fedWith(textShapes(6_400), (text) => cutText(text)) },
]
