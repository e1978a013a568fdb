import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMoney, writeMoney } from './money-text.ts'

test('parses amounts in the format of their language, to the last digit', () => {
  for (const [english, german, amount] of [
    ['12.34', '12,34', 123_400],
    ['0.019', '0,019', 190],
    ['1.0005', '1,0005', 10_005],
    ['1,234.56', '1.234,56', 12_345_600],
    ['1,234', '1.234', 12_340_000],
    ['8,999,999.9999', '8.999.999,9999', 89_999_999_999],
    [' -5 ', '−5', -50_000],
    ['-0', '-0,00', 0],
    ['7', '7', 70_000],
  ] as const) {
    assert.equal(readMoney(english, 'en'), amount, english)
    assert.equal(readMoney(german, 'de'), amount, german)
  }
})

test('rejects amounts with another meaning in the other language', () => {
  for (const written of ['', '-', '12,34', '0,019', '1,2345', '12,345,67', '1.23456', '1e3', '12.', '.5', '€5', '1.2.3', '0x10', '--1'])
    assert.equal(readMoney(written, 'en'), undefined, written)
  for (const written of ['12.34', '0.019', '1.2345', '12.345.67', '0.190', '1,23456', '12,', ',5', '5 €', '1.234.5'])
    assert.equal(readMoney(written, 'de'), undefined, written)
})

test('round-trips amounts', () => {
  for (const amount of [0, 1, 190, 123_400, -12_345_678, 99_999_999_999])
    for (const language of ['en', 'de'] as const) assert.equal(readMoney(writeMoney(amount, language), language), amount)
  assert.equal(writeMoney(12_345_000, 'de'), '1.234,50')
})
