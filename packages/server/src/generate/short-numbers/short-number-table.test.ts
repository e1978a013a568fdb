import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { emergencyBehindNine, emergencyNumber } from '#core/account/numbers/emergency.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import { emergencyNumbersOf, shortNumberCost, shortNumberCountries } from '#core/kernel/phone-numbers/short-numbers.ts'
import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max'
import { expandPattern } from './short-number-table.ts'
import { shortNumberMetadata } from './short-number-table.ts'

/** The part of libphonenumber's own class that is used here. */
interface ShortNumberInfo {
  getSupportedRegions(): string[]
  isEmergencyNumber(number: string, region: string): boolean
}

const { ShortNumberInfo: library } = createRequire(import.meta.url)('google-libphonenumber') as {
  ShortNumberInfo: { getInstance(): ShortNumberInfo }
}
const reference = library.getInstance()

/** Numbers that libphonenumber does not list. */
const added = { ES: ['061', '062', '080', '091', '092'], FR: ['114', '191', '196'], JP: ['118'] } as Record<string, string[] | undefined>

const upToThreeDigits = [1, 2, 3].flatMap((length) =>
  Array.from({ length: 10 ** length }, (_, number) => String(number).padStart(length, '0')),
)

test('lists every region of the metadata', () => {
  assert.deepEqual(shortNumberCountries.toSorted(), reference.getSupportedRegions().toSorted())
  assert.equal(shortNumberCountries.length, 241)
})

test('lists the emergency numbers of every country as libphonenumber does', () => {
  for (const country of shortNumberCountries) {
    const listed = [...emergencyNumbersOf(country)].filter((number) => number !== '112' && !added[country]?.includes(number))
    assert.deepEqual(
      listed.filter((number) => !reference.isEmergencyNumber(number, country)),
      [],
      country,
    )
    const { 27: description } = shortNumberMetadata().countryToMetadata[country] ?? []
    const pattern = new RegExp(`^(?:${description?.[2] ?? '(?!)'})$`)
    const missing = upToThreeDigits.filter((number) => pattern.test(number) && !emergencyNumbersOf(country).has(number))
    assert.deepEqual(missing, [], country)
  }
})

test('recognises every emergency number of every country as dialled', () => {
  for (const country of shortNumberCountries) {
    const callingCode = isSupportedCountry(country) ? getCountryCallingCode(country) : ''
    for (const number of emergencyNumbersOf(country)) {
      assert.equal(emergencyNumber(number, country), number, `${country} ${number}`)
      const disguises = [`0${number}`, `+${callingCode}${number}`, `00${callingCode}${number}`]
      for (const disguised of disguises) {
        const isOther = parseNumber(disguised, country) ?? shortNumberCost(disguised, country)
        const found = emergencyNumber(disguised, country)
        if (isOther === undefined) assert.ok(found !== undefined, `${country} ${disguised}`)
        else assert.ok(found === undefined || found === disguised, `${country} ${disguised}`)
      }
      const isOther = parseNumber(`9${number}`, country) ?? shortNumberCost(`9${number}`, country)
      assert.equal(emergencyBehindNine(`9${number}`, country), isOther === undefined ? number : undefined, `${country} 9${number}`)
    }
  }
})

test('knows numbers that real callers dialled', () => {
  const dialled: Record<string, string[]> = {
    AR: ['911', '100', '101', '107'],
    BR: ['190', '192', '193'],
    CN: ['110', '119', '120'],
    IN: ['100', '101', '102', '108', '112'],
    KR: ['112', '119'],
    RU: ['101', '102', '103', '112'],
    TR: ['110', '112', '155'],
    UA: ['101', '102', '103'],
    ZA: ['10111', '10177', '112'],
  }
  for (const [country, numbers] of Object.entries(dialled))
    for (const number of numbers) assert.equal(emergencyNumber(number, country), number, `${country} ${number}`)
})

test('expands patterns to their matching numbers', () => {
  assert.deepEqual(expandPattern('1(?:0[0-28]|12|298)|2611'), ['100', '101', '102', '108', '112', '1298', '2611'])
  assert.deepEqual(expandPattern('0(?:11?|2{2,3})'), ['01', '011', '022', '0222'])
  assert.deepEqual(expandPattern('15\\d').length, 10)
  assert.deepEqual(expandPattern(''), [''])
  for (const endless of ['1+', '1*', '(?:1', '[a-c]', '(1)']) assert.throws(() => expandPattern(endless), endless)
})
