import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spelled } from './spelling.ts'

/** Checks each spelling, and that the correct form stays unchanged. */
const check = (language: string, cases: readonly (readonly [string, string])[]): void => {
  const wrong = cases.flatMap(([heard, written]) => [heard, written].map((text) => [text, spelled(text, language), written]))
  assert.deepEqual(
    wrong.filter(([, got, wanted]) => got !== wanted),
    [],
  )
}
/** Texts that are already correct. */
const same = (...texts: string[]): [string, string][] => texts.map((text) => [text, text])

test('normalises punctuation and capitals', () => {
  check('en', [
    ['Daddy,,', 'Daddy,'],
    ['Hello , is anybody there ?', 'Hello, is anybody there?'],
    ['That option is invalid. please try again.', 'That option is invalid. Please try again.'],
    ['really?? yes,.', 'Really? Yes.'],
    ['hello.. it’s me', "Hello. It's me"],
    ...same('To leave the conference...', 'Ask Dr. smith about it.', 'J. r. Smith', '', '?'),
  ])
  check('de', [['wirklich? ja. gut', 'Wirklich? Ja. Gut'], ...same('Am 3. mai bin ich da.', 'Das ist z. B. so, bzw. anders.')])
  check('fr', [['bonjour. je suis là', 'Bonjour. Je suis là']])
})

test('normalises words that recognisers spell in several ways', () => {
  check('en', [
    ['Good-bye.', 'Goodbye.'],
    ['Good-by', 'Goodbye'],
    ['Well, good bye', 'Well, goodbye'],
    ['Goodby.', 'Goodbye.'],
    ['Good-Bye!', 'Goodbye!'],
    ['Bye-bye.', 'Bye bye.'],
    ['OK. O.K., thanks, ok', 'Okay. Okay, thanks, okay'],
    ['Send me an e-mail.', 'Send me an email.'],
    ['My voice mail', 'My voicemail'],
    ['Simultaneous call-limit reached,', 'Simultaneous call limit reached,'],
    ['The speed dial-entry is open-source.', 'The speed dial entry is open source.'],
    ...same('That would be good by me.', 'Mm-hmm.', 'Uh-huh.', 'You re-entered it.', 'Mary-Jane Smith-Jones', 'A T-shirt and an x-ray'),
  ])
  check('de', [
    ['o.k., tschüß', 'Okay, tschüss'],
    ['Tschüs!', 'Tschüss!'],
    ['Auf wiederhören.', 'Auf Wiederhören.'],
    ['Meine Email', 'Meine E-Mail'],
    ...same('Frau Müller-Lüdenscheidt', 'Das UKW-Radio'),
  ])
})

test('normalises English numbers', () => {
  check('en', [
    ['Press 1 now.', 'Press one now.'],
    ['Four or 6 people', 'Four or six people'],
    ['To hear it press 6. To repeat it press 5.', 'To hear it press six. To repeat it press five.'],
    ['4.', 'Four.'],
    ['twenty-three', '23'],
    ['Twenty three people', '23 people'],
    ['Ten.', '10.'],
    ['one hundred and five', '105'],
    ['two thousand four hundred', '2400'],
    ['1,250 of them', '1250 of them'],
    ['It was nineteen ninety-nine.', 'It was 1999.'],
    ['Since twenty twenty-six', 'Since 2026'],
    ['One two three', '1 2 3'],
    ['Three, one, five.', '3 1 5.'],
    ['It is 5-5-5 oh one', 'It is 5 5 5 0 1'],
    ['four oh four', '4 0 4'],
    ['1, 2 or 3', 'One, two or three'],
    ['Press 7, 8 or twenty', 'Press seven, eight or 20'],
    ...same(
      'No one.',
      'Oh no.',
      'One moment, please.',
      'One of them',
      'Folder five.',
      'It costs $5.',
      'It is 5 %',
      '5% of 2.5 is 0.125.',
      'Gate A5',
      'The 7G network',
      'On May 5',
      '5 May',
      'Version 1.2.3',
    ),
  ])
})

test('normalises English times', () => {
  check('en', [
    ['At 5 P.M. tomorrow', 'At 5 pm tomorrow'],
    ['At 5 p.m.', 'At 5 pm.'],
    ['At 5pm. Thank you.', 'At 5 pm. Thank you.'],
    ['At five PM', 'At 5 pm'],
    ['five thirty p.m.', '5:30 pm.'],
    ['5.30 am', '5:30 am'],
    ['at ten oh five am', 'At 10:05 am'],
    ["At five o'clock.", "At 5 o'clock."],
    ...same('Half past five.', 'A quarter to nine', 'I am here.', 'At 17:30.'),
    ['Half past 5.', 'Half past five.'],
  ])
})

test('normalises German numbers and times', () => {
  check('de', [
    ['Zimmer 5', 'Zimmer fünf'],
    ['dreiundzwanzig', '23'],
    ['Zweitausendsechsundzwanzig', '2026'],
    ['hundertfünf Leute', '105 Leute'],
    ['dreissig', '30'],
    ['1.250 Stück', '1250 Stück'],
    ['null drei null', '0 3 0'],
    ['Zwo, drei, fünf.', '2 3 5.'],
    ['Um 8.30 Uhr', 'Um 8:30 Uhr'],
    ['um acht Uhr dreißig', 'Um 8:30 Uhr'],
    ['um acht Uhr', 'Um 8 Uhr'],
    ['ein Uhr', '1 Uhr'],
    ['viertel vor 8', 'Viertel vor acht'],
    ...same(
      'Halb acht.',
      'Ein Tisch für vier.',
      '1 Person',
      'Am 5. Mai',
      'Zwo',
      'Achtung!',
      'Das kostet 5 Euro.',
      'Um 17 Uhr.',
      'Um 8 Uhr zwei Personen',
    ),
  ])
})
