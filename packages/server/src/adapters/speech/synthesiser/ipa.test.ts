import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phonemesOf } from './ipa.ts'

const english = (ipa: string): string => {
  const { phones, tones } = phonemesOf(ipa, 'en')
  return phones.map((phone, i) => `${phone}${tones[i] === 0 ? '' : tones[i]}`).join(' ')
}

test('reads English IPA as the symbols of the model, with stress', () => {
  assert.equal(english('ˈziːɡl̩'), 'z iy2 g ah1 l')
  assert.equal(english('əˈlɛksəˌtʃɔɪ'), 'ah1 l eh2 k s ah1 ch oy3')
  assert.equal(english("kæn'veɪ"), 'k ae1 n V ey2')
  assert.equal(english('wɪn'), 'w ih2 n', 'a word without a mark is stressed on its first vowel')
  assert.equal(english('d͡ʒɑːn'), 'jh aa2 n')
})

test('reads German IPA', () => {
  const { phones, tones } = phonemesOf('ˈʁeːvə', 'de')
  assert.deepEqual([phones.join(' '), new Set(tones)], ['ʁ e ː V e', new Set([0])])
  assert.equal(phonemesOf('t͡syːʁɪç', 'de').phones.join(' '), 'ts yː ʁ i ç')
  assert.equal(phonemesOf('ˈʃnaɪ̯dɐ', 'de').phones.join(' '), 'ʃ n a ɪ d e ɐ')
  assert.equal(phonemesOf('tyːɐ̯', 'de').phones.join(' '), 't yː ɐ')
  assert.equal(phonemesOf('ʒɑ̃', 'de').phones.join(' '), 'ʒ a')
})

test('leaves out what is not IPA', () => {
  for (const language of ['en', 'de'] as const) assert.deepEqual(phonemesOf('日本 7 …', language), { phones: [], tones: [] })
})
