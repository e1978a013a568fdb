import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { spokenText } from './spoken-text.ts'
import { leastEffortMs } from '#test/chance/effort.ts'

const cases = (language: string, table: Record<string, string>): void => {
  for (const [written, spoken] of Object.entries(table)) assert.equal(spokenText(written, language), spoken)
}

test('English numbers', () => {
  cases('en-US', {
    '0 1 12 21 100 101 1000 1,234':
      'zero one twelve twenty-one one hundred one hundred one one thousand one thousand two hundred thirty-four',
    '1000000, 2,000,000,000': 'one million, two billion',
    'It is 3.14, -5 or +7.': 'It is three point one four, minus five or plus seven.',
    'the 1st, 2nd, 3rd, 12th, 20th': 'the first, second, third, twelfth, twentieth',
    '20% off, 3-5 days, 1/2 price': 'twenty percent off, three to five days, one half price',
    '1 km, 3.5 km, 20 °C': 'one kilometer, three point five kilometers, twenty degrees Celsius',
    'order 4719203, pin 0042': 'order four seven one, nine two zero three, pin zero zero four two',
    'Room #5': 'Room number five',
  })
})

test('English money, days and times', () => {
  cases('en-US', {
    '$1, $12.50, €0.99 and £5': 'one dollar, twelve dollars and fifty cents, ninety-nine cents and five pounds',
    '$5 million, 1,234.56 dollars': 'five million dollars, one thousand two hundred thirty-four dollars and fifty-six cents',
    'on 3/5/2026': 'on March fifth, twenty twenty-six',
    'May 1, 5 March 2026, Dec. 24th': 'May first, March fifth, twenty twenty-six, December twenty-fourth',
    '2026-03-05': 'March fifth, twenty twenty-six',
    'In 1999, since 2005': 'In nineteen ninety-nine, since two thousand five',
    'at 15:30, 9:05 am, 9:00, 3 pm': "at three thirty P M, nine oh five ay M, nine o'clock, three P M",
    '9 a.m. to 5 p.m.': 'nine ay M to five P M.',
  })
  cases('en-GB', { '5/3/2026': 'March fifth, twenty twenty-six' })
})

test('English phone numbers, addresses, short words and capitals', () => {
  cases('en-US', {
    '+49 30 1234567': 'plus four nine, three zero, one two three, four five six seven',
    '(555) 123-4567': 'five five five, one two three, four five six seven',
    'info@shop-one.com or https://www.example.com': 'info at shop one dot com or W W W dot example dot com',
    'Dr. Smith, 5 Main St. near St. Mary, e.g. No. 5. No. Really.':
      'Doctor Smith, five Main Street near Saint Mary, for example number five. No. Really.',
    'The FBI, NASA, A4, B2B and USB': 'The F B I, Nasa, ay four, B two B and U S B',
    'PLEASE HOLD ON': 'Please Hold On',
    'OK & done': 'okay and done',
  })
})

test('German numbers', () => {
  cases('de-DE', {
    '0 1 12 17 21 101 1.234': 'null eins zwölf siebzehn einundzwanzig einhunderteins eintausendzweihundertvierunddreißig',
    '1 Million, 2.000.000': 'eine Million, zwei Millionen',
    '3,14 und Version 3.5': 'drei Komma eins vier und Version drei Punkt fünf',
    '1 Tag, 1 Stunde, 2 Tage': 'ein Tag, eine Stunde, zwei Tage',
    'im 2. Stock, der 1. Platz, Zimmer 3. Danach': 'im zweiten Stock, der erste Platz, Zimmer drei. Danach',
    '20 % Rabatt, 3-5 Tage, -3 °C': 'zwanzig Prozent Rabatt, drei bis fünf Tage, minus drei Grad Celsius',
    'Kundennummer 4719203, PIN 0042': 'Kundennummer vier sieben eins, neun zwei null drei, Pin null null vier zwei',
  })
})

test('German money, days and times', () => {
  cases('de-DE', {
    '12,50 €, 1 Euro, 0,99 EUR': 'zwölf Euro fünfzig, ein Euro, neunundneunzig Cent',
    '1.234,56 Euro, 5 Millionen Euro': 'eintausendzweihundertvierunddreißig Euro sechsundfünfzig, fünf Millionen Euro',
    'am 5.3.2026, der 3. Mai, am 24.12.': 'am fünften März zweitausendsechsundzwanzig, der dritte Mai, am vierundzwanzigsten Dezember',
    'um 15:30 Uhr, 8.05 Uhr, 1 Uhr, 9-17 Uhr': 'um fünfzehn Uhr dreißig, acht Uhr fünf, ein Uhr, neun bis siebzehn Uhr',
    'im Jahr 1999': 'im Jahr neunzehnhundertneunundneunzig',
  })
})

test('German phone numbers, addresses, short words and capitals', () => {
  cases('de-DE', {
    'Tel. 030/1234567': 'Telefon null drei null, eins zwei drei, vier fünf sechs sieben',
    'info@firma.de': 'info at firma Punkt de',
    'z. B. Hr. Dr. Müller bzw. Nr. 5 usw.': 'zum Beispiel Herr Doktor Müller beziehungsweise Nummer fünf und so weiter.',
    'der ADAC, TÜV, A4': 'der A D A C, Tüv, A vier',
  })
})

test('markup and pictures are not said, in any language', () => {
  cases('en', { '# Title\n- **bold** _it_ `x` [here](https://x.example/) 😀👍🏽': 'Title bold it x here' })
  cases('fr-FR', { '**Le 5 mars** à 15:30 😀': 'Le 5 mars à 15:30' })
})

test('no number is left for a voice that knows none, and words stay as they are', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^[\d.,:/€$%+() -]{0,40}$/),
    fc.stringMatching(/^(?:[A-Z]{1,5}|\d{1,5}|am|\. |, |Uhr|St\.|May |\/|-| ){0,12}$/),
  )
  fc.assert(
    fc.property(text, fc.constantFrom('en-US', 'de-DE'), (written, language) => {
      assert.doesNotMatch(spokenText(written, language), /[0-9]/)
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zäöü]{1,8}( [a-zäöü]{1,8}){0,8}$/), fc.constantFrom('en-US', 'de-DE'), (words, language) => {
      assert.equal(spokenText(words, language), words)
    }),
  )
})

test('takes no longer for malicious text', () => {
  const parts = ['1', '1,', '+1 ', 'A.', 'a-', 'www.', '1.1.', '[(', '#', '\n -', 'A1', '0 0', 'a@', '12:', 'May ', '1€', '- ']
  for (const part of parts) {
    const text = part.repeat(Math.floor(10_000 / part.length))
    assert.ok(leastEffortMs(200, () => spokenText(text, 'en')) < 200, part)
  }
})

test('a language that is none is left to the voice', () => {
  for (const language of ['', 'constructor', 'toString-US', '__proto__'])
    assert.equal(spokenText('At 10:30, 5 kg', language), 'At 10:30, 5 kg')
})
