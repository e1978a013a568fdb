import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mentions } from './mentions.ts'
import { redactText } from './redact-text.ts'

const person = { numbers: ['+4915112345678', '+12025550123'], names: ['Grace Müller-Hopper', 'Ada'], emails: ['grace.h@example.com'] }
const mentions = new Mentions(person)

test('finds a number in every usual spelling', () => {
  const german = ['+4915112345678', '004915112345678', '4915112345678', '015112345678', '0151 12345678', '+49 (0) 151 / 123-456-78']
  const american = ['+12025550123', '12025550123', '+1 (202) 555-0123', '202-555-0123', '011 1 202 555 0123']
  for (const spelling of [...german, ...american])
    assert.equal(mentions.redact(`call ${spelling}, please`), 'call erased, please', spelling)
  for (const wrapped of ['sip:+4915112345678@example.com', 'tel:+49-151-12345678', '%2B4915112345678'])
    assert.ok(!/1512?345678/.test(mentions.redact(wrapped)), wrapped)
})

test('ignores other and longer numbers', () => {
  for (const other of ['+49151123456789', '115112345678', '+4915112345679', '9151 12345678', '15112345', '+44 2025550124'])
    assert.equal(mentions.redact(other), other)
})

test('finds names and addresses as whole words, case-insensitively', () => {
  assert.equal(mentions.redact('GRACE MÜLLER-HOPPER <Grace.H@example.com>'), 'erased <erased>')
  for (const other of ['Disgrace Müller-Hopperton', 'grace.h@example.community', 'grace-h@example.com', 'Ada'])
    assert.equal(mentions.redact(other), other)
})

test('finds no mentions of an empty person', () => {
  const nobody = new Mentions({ numbers: [], names: [''], emails: [''] })
  assert.equal(nobody.isEmpty, true)
  assert.equal(nobody.redact('anything'), 'anything')
})

test('scans long runs of separators and digits in linear time', () => {
  for (const hostile of [`+49${' '.repeat(100_000)}`, '0 '.repeat(50_000), '4915112345'.repeat(10_000), '('.repeat(100_000)])
    assert.equal(mentions.redact(hostile), hostile)
})

test('keeps JSON valid: removes list elements for the person, and replaces other values', () => {
  const settings = {
    targets: ['+4915112345678', '+4930'],
    tools: [
      { name: 'janitor', target: '015112345678' },
      { name: 'desk', target: 'p0' },
    ],
    prompt: 'Never call 0151 12345678',
    digits: 4_915_112_345_678,
    byNumber: { '+4915112345678': 1 },
  }
  assert.deepEqual(JSON.parse(redactText(JSON.stringify(settings), mentions, { prune: true })), {
    targets: ['+4930'],
    tools: [{ name: 'desk', target: 'p0' }],
    prompt: 'Never call erased',
    digits: null,
    byNumber: { erased: 1 },
  })
  assert.deepEqual(JSON.parse(redactText(JSON.stringify(settings.targets), mentions, { prune: false })), ['erased', '+4930'])
  assert.equal(redactText('{ "a":1 }', mentions, { prune: true }), '{ "a":1 }')
  assert.equal(redactText('{ broken +4915112345678', mentions, { prune: true }), '{ broken erased')
})
