import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastEffortMs } from '#test/chance/effort.ts'
import { Lexicon } from './lexicon.ts'

const lexicon = new Lexicon([
  { word: 'Siegl', say: 'Siegel' },
  { word: 'Siegl & Co.', say: 'Siegel and Company' },
  { word: 'C++', say: 'see plus plus' },
  { word: 'Saint-Lô', say: 'sang low' },
  { word: 'Gif', say: 'jif', language: 'en-GB' },
  { word: 'Nguyễn', say: '/wɪn/' },
  { word: 'Rewe', say: ' /ˈʁeːvə/ ', language: 'de' },
])

test('replaces whole words by their spelling, in any case, the longest first', () => {
  const said = (text: string, language = 'en-US'): string => lexicon.respell(text, language)
  assert.equal(said('SIEGL, Siegls and Siegl & Co. know C++.'), 'Siegel, Siegls and Siegel and Company know see plus plus.')
  assert.equal(said('A gif of SAINT-LÔ'), 'A jif of sang low')
  assert.equal(said('Ein Gif', 'de-DE'), 'Ein Gif')
  assert.equal(said('Nguyễn'), 'Nguyễn', 'IPA is no spelling')
})

test('finds the words of a text that are given in IPA', () => {
  assert.deepEqual(lexicon.ipaIn('Frau nguyễn bei REWE', 'de-DE'), [
    { word: 'Nguyễn', ipa: 'wɪn' },
    { word: 'Rewe', ipa: 'ˈʁeːvə' },
  ])
  assert.deepEqual(lexicon.ipaIn('Rewe, Nguyễns', 'en'), [])
})

test('takes no longer for malicious entries', () => {
  const entries = Array.from({ length: 200 }, (_, i) => ({ word: `${'a'.repeat(55)}${i}`, say: i % 2 === 0 ? 'b' : '/b/' }))
  const hostile = new Lexicon([...entries, { word: '(a+)+$', say: 'c' }, { word: '  ', say: 'd' }])
  const text = 'a'.repeat(200)
  assert.ok(leastEffortMs(75, () => hostile.ipaIn(hostile.respell(text, 'en'), 'en')) < 75)
  assert.equal(hostile.respell('(a+)+$ ', 'en'), 'c ')
})
