import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { redactions } from '@offhook/contract/v3/flow-values.ts'
import { hasLuhnSum, isIban, redactText, type Redaction } from './redact-text.ts'

const only = (kind: Redaction) => (text: string) => redactText(text, [kind])
const all = (text: string): string => redactText(text, redactions)

test('redacts card numbers with a valid Luhn sum, written and spoken', () => {
  const card = only('card')
  for (const text of [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111. 1111. 1111. 1111',
    '4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1',
    `four ${'one '.repeat(15)}`.trim(),
    `Vier, ${'eins, '.repeat(14)}eins`,
    'four one double one triple one one one double one double one one one one',
    '378282246310005',
    'three seven eight two eight two two four six three one oh oh oh five',
    'siebenunddreißig zweiundachtzig zweiundachtzig vierundzwanzig dreiundsechzig zehn null null fünf',
    'thirty seven eighty-two eighty two twenty four sixty three ten zero zero five',
  ])
    assert.equal(card(`It is ${text}, thanks`), 'It is [card], thanks', text)
  assert.equal(card('4111111111111112'), '4111111111111112', 'the sum is wrong')
  assert.equal(card('card 12 4111 1111 1111 1111 and 13'), 'card 12 [card] and 13')
  assert.equal(card('at 10:30 on the 4th, 1111111111111'), 'at 10:30 on the 4th, 1111111111111')
  assert.equal(card('6f1f2c0e-7d0b-4a53-9f0e-2a1b7f4c9d11'), '6f1f2c0e-7d0b-4a53-9f0e-2a1b7f4c9d11')
})

test('redacts IBANs with a valid checksum, written, spelled and spoken', () => {
  const iban = only('iban')
  for (const text of [
    'DE89370400440532013000',
    'DE89 3704 0044 0532 0130 00',
    'de89 3704 0044 0532 0130 00',
    'D E 89 37 04 00 44 05 32 01 30 00',
    'D, E, acht neun drei sieben null vier null null vier vier null fünf drei zwei null eins drei null null null',
    'GB82 WEST 1234 5698 7654 32',
    'CH93 0076 2011 6238 5295 7',
  ])
    assert.equal(iban(`My account is ${text}.`), 'My account is [iban].', text)
  assert.equal(iban('DE88 3704 0044 0532 0130 00'), 'DE88 3704 0044 0532 0130 00')
})

test('redacts e-mail addresses, written and spoken', () => {
  const email = only('email')
  for (const text of ['max.power@mail.example.com', 'Max dot Power at example dot com', 'max punkt muster ät mein minus laden punkt de'])
    assert.equal(email(`Write to ${text}!`).replace(/^Write to /, ''), '[email]!', text)
  for (const text of ['I am at home', 'See you at three', 'five at most']) assert.equal(email(text), text)
})

test('redacts phone numbers with a plus, a leading zero or enough digits', () => {
  const phone = only('phone')
  for (const text of [
    '+49 211 6355 0',
    '0211/63550',
    '(0211) 63 55-0',
    'plus forty nine two one one six three five five zero',
    '212 555 0100 99',
  ])
    assert.equal(phone(`Call ${text} now`), 'Call [phone] now', text)
  assert.equal(phone('null eins sieben drei zwo zwo vier fünf'), '[phone]')
  for (const text of ['It costs 1234567', 'on 30.12.2026', 'room 0815']) assert.equal(phone(text), text)
})

test('redacts any run of four or more digits', () => {
  const digits = only('digits')
  assert.equal(digits('My PIN is four seven one one.'), 'My PIN is [digits].')
  assert.equal(digits('Kundennummer 47 11, Raum 3'), 'Kundennummer [digits], Raum 3')
  for (const text of ['at 10:30', 'one two three', 'eins zwei, also drei', 'room 123', 'A4 B5 C6', 'one of the two', 'a1b2c3d4'])
    assert.equal(digits(text), text)
})

const wordsOf = { 0: 'null', 1: 'one', 2: 'zwo', 3: 'three', 4: 'vier', 5: 'five', 6: 'sechs', 7: 'seven', 8: 'acht', 9: 'nine' } as const
const spoken = (digits: string): string =>
  digits
    .split('')
    .map((digit) => wordsOf[Number(digit) as keyof typeof wordsOf])
    .join(' ')

const cards = fc.integer({ min: 12, max: 18 }).chain((length) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((begun) => {
    const digits = begun.join('')
    return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((last) => `${digits}${last}`).find(hasLuhnSum) ?? ''
  }),
)

const prose = fc.stringMatching(/^[a-z ]{0,20}[a-z]$/)

test('redacts every digit of a card in any grouping, written or spoken', () => {
  fc.assert(
    fc.property(cards, fc.integer({ min: 1, max: 6 }), fc.constantFrom(' ', '-', ', ', ''), (card, group, mark) => {
      const groups = card.match(new RegExp(`.{1,${group}}`, 'g')) ?? []
      assert.equal(only('card')(`It is ${groups.join(mark)} okay`), 'It is [card] okay')
      assert.equal(only('card')(`It is ${spoken(card)} okay`), 'It is [card] okay')
    }),
  )
})

test('leaves no run of four digits and is idempotent', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(prose, cards, fc.string(), fc.nat().map(String), cards.map(spoken)), { maxLength: 8 }), (parts) => {
      const once = all(parts.join(' '))
      assert.equal(all(once), once)
      assert.doesNotMatch(once, /(?<![\p{L}\p{N}])[0-9]{4,}(?![\p{L}\p{N}])/u)
    }),
  )
})

test('redacts valid IBANs of several countries', () => {
  const letters = fc.constantFrom('DE', 'AT', 'CH', 'FR', 'NL')
  fc.assert(
    fc.property(letters, fc.stringMatching(/^[0-9]{18}$/), (country, account) => {
      const iban = Array.from({ length: 97 }, (_, check) => `${country}${String(check + 2).padStart(2, '0')}${account}`).find(isIban)
      if (iban) assert.equal(only('iban')(`an ${iban.match(/.{1,4}/g)?.join(' ')}!`), 'an [iban]!')
    }),
  )
})
