import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { expectations, turnTakings } from '@offhook/contract/assistant/actions.ts'
import { limitsOf, minSilence, silenceAfter, defaultEndpointing, type EndpointingPolicy } from './turn-silence.ts'

const after = (text: string, endpointing: Partial<EndpointingPolicy> = {}, probability = 0.79, language = 'en'): string => {
  const { ms, rule } = silenceAfter({ text, language }, probability, { ...defaultEndpointing, ...endpointing })
  return `${ms} ${rule}`
}

test('shortens the silence with a higher probability', () => {
  const silences = [0, 0.25, 0.5, 0.75, 1].map((probability) => after('I would like a table for the evening', {}, probability))
  assert.deepEqual(silences, ['1900 probability', '1357 probability', '898 probability', '544 probability', '350 probability'])
})

test('ends complete answers after 300 ms in each language with a list', () => {
  for (const text of ['Yes.', 'no', 'Yes, please!', 'No, thank you,', 'That’s right.', 'OK'])
    assert.equal(after(text, {}, 0), '300 answer', text)
  for (const [language, text] of [
    ['de-DE', 'Ja, genau.'],
    ['fr', 'D’accord.'],
    ['es-MX', 'Sí, gracias.'],
    ['it', 'Va bene.'],
  ] as const)
    assert.equal(after(text, {}, 0, language), '300 answer', text)
  assert.equal(after('Ja.', {}, 0.79, 'nl'), '499 probability')
})

test('waits longer after an answer when more is expected', () => {
  assert.equal(after('Okay.', { expects: 'digits' }), '700 answer')
  assert.equal(after('Okay.', { expects: 'long' }), '700 answer')
  assert.equal(after('Okay.', { turnTaking: 'dictation' }), '900 answer')
  assert.equal(after('Okay.', { expects: 'yes_no' }), '300 answer')
})

test('waits for more after two digits, or after one if digits are expected', () => {
  for (const text of ['zero three zero', '0 3 0 1', 'the number is 4719.', 'four, seven,'])
    assert.equal(after(text, {}, 1), '1000 digits', text)
  for (const text of ['Seven.', 'Room 12.', 'At half past five.', 'At 7:30', 'It costs 4.50'])
    assert.equal(after(text, {}, 1), '350 probability', text)
  assert.equal(after('null drei null', {}, 1, 'de'), '1000 digits')
  assert.equal(after('Seven.', { expects: 'digits' }, 1), '1200 digits')
  assert.equal(after('Seven.', { turnTaking: 'dictation' }, 1), '1200 digits')
  assert.equal(after('1 2 3', { expects: 'digits', silenceMs: 1500 }, 1), '2100 probability', 'never sooner than without')
  assert.equal(after('Seven.', {}, 0.2), '1459 probability')
})

test('ends a number of known length with its last digit, and waits until then', () => {
  const six = { expects: 'digits', expectsDigits: 6 } as const
  assert.equal(after('12 34', six, 1), '1500 digits')
  for (const text of ['12 34 56', '1 2 3 4 5 6.', 'one double two three four nine', 'triple 7 123', 'twenty one thirty four fifty'])
    assert.equal(after(text, six, 0), '300 all_digits', text)
  assert.equal(after('My name is', six, 0), '2000 probability')
})

test('scales all pauses with vad.end_of_turn_silence_ms up to its maximum; 500 is the default', () => {
  const silences = (silenceMs: number): string[] =>
    ['yes', 'I am done.', 'my name is', '0 3 0'].map(
      (text, index) => after(text, { silenceMs }, [0, 0.79, 0, 0.79][index]).split(' ')[0] ?? '',
    )
  assert.deepEqual(silences(500), ['300', '499', '1900', '1000'])
  assert.deepEqual(silences(150), ['150', '150', '570', '900'])
  assert.deepEqual(silences(1000), ['600', '998', '2000', '1200'])
  assert.deepEqual(silences(2000), ['1200', '1997', '2000', '2000'])
})

test('classic: uses the configured silence by words alone, except when an expectation is set', () => {
  const classic = (silenceMs: number): string[] =>
    ['yes', 'I am done.', 'I am done,', 'my name is', '0 3 0', 'well …', 'is it 0 3 0?'].flatMap((text) => {
      const silences = [0, 0.5, 1].map((probability) => after(text, { silenceMs, turnTaking: 'classic' }, probability))
      assert.equal(new Set(silences).size, 1, 'how likely it is does not matter')
      return silences[0] ?? []
    })
  assert.deepEqual(classic(500), ['300 answer', '500 words', '750 words', '1000 words', '1000 digits', '1000 words', '500 words'])
  assert.deepEqual(classic(1000), ['600 answer', '1000 words', '1200 words', '1200 words', '1200 digits', '1200 words', '1000 words'])
  assert.equal(after('Seven.', { turnTaking: 'classic', expects: 'digits' }, 1), after('Seven.', { expects: 'digits' }, 1))
})

test('adapts the limits to each mode', () => {
  const limits = turnTakings.map((turnTaking) =>
    Object.values(limitsOf({ ...defaultEndpointing, turnTaking }))
      .map(Math.round)
      .join('-'),
  )
  assert.deepEqual(limits, ['245-1140', '350-1900', '525-2660', '900-3000', '300-1000'])
})

test('keeps limits ordered and silences within them for any settings', () => {
  const endpointing = fc.record({
    silenceMs: fc.integer({ min: 150, max: 2000 }),
    turnTaking: fc.constantFrom(...turnTakings),
    expects: fc.constantFrom(...expectations),
    expectsDigits: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  })
  const text = fc.constantFrom('yes', '1 2 3', 'my name is', 'I am done.', '7')
  fc.assert(
    fc.property(endpointing, text, fc.double({ min: 0, max: 1, noNaN: true }), (rules, words, probability) => {
      const { leastMs: minMs, mostMs: maxMs } = limitsOf(rules)
      assert.ok(minMs >= 100 && minMs <= maxMs && maxMs <= 5000, `${minMs} ${maxMs}`)
      const { ms, rule } = silenceAfter({ text: words, language: 'en' }, probability, rules)
      assert.ok(ms >= Math.floor(Math.min(minSilence(rules), 300)), `${ms} ${rule}`)
      if (rule === 'probability') assert.ok(ms >= Math.floor(minMs) && ms <= Math.ceil(maxMs))
    }),
  )
})
