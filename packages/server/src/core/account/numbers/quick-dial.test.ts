import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkQuickDial } from './quick-dials.ts'

test('accepts two to five digits', () => {
  for (const number of [
    '10',
    '11',
    '44',
    '98',
    '100',
    '109',
    '120',
    '210',
    '212',

    '989',
    '1099',
    '2000',
    '12345',
    '50001',
    '49999',
    '98999',
  ])
    assert.equal(checkQuickDial(number, 'DE'), 'ok', number)
})

test('rejects reserved numbers and longer numbers that begin with them', () => {
  const services = ['2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => `${digit}11`)
  const emergency = Array.from({ length: 10 }, (_, last) => `11${last}`)
  for (const number of [...emergency, ...services, '99', '990', '999', '9900', '9999']) {
    for (const longer of [number, `${number}0`, `${number}9`, `${number}12`].filter(({ length }) => length <= 5)) {
      assert.match(refusal(longer), /^numbers beginning with /, longer)
    }
  }
  assert.match(refusal('50000'), /voicemail/)
})

test("rejects emergency numbers of the account's country", () => {
  for (const [country, number] of Object.entries({ FR: '15', IN: '100', CN: '120', BR: '190', ZA: '10111', AT: '144' })) {
    assert.match(refusal(number, country), /emergency number/, `${country} ${number}`)
    assert.equal(checkQuickDial(number, 'DE'), 'ok', number)
  }
})

test('explains what is wrong with the form', () => {
  assert.match(refusal('1'), /2 to 5 digits/)
  assert.match(refusal(''), /2 to 5 digits/)
  assert.match(refusal('123456'), /2 to 5 digits/)
  assert.match(refusal('012'), /begin with 0/)
  for (const number of ['4a', '44*', '+44', ' 44', '44\n', '４４', '-44', '4.4'])
    assert.match(refusal(number), /digits only/, JSON.stringify(number))
})

function refusal(number: string, country = 'XX'): string {
  const verdict = checkQuickDial(number, country)
  assert.notEqual(verdict, 'ok', number)
  return verdict === 'ok' ? '' : verdict.refused
}
