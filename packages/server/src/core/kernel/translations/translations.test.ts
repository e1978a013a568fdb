import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errors, type ErrorCode } from '@offhook/contract/errors.ts'
import { simOrderStates } from '@offhook/contract/v1/devices/device-values.ts'
import { portingStatuses } from '#core/account/portings/porting-machine.ts'
import { text, translations, type Locale, type TextKey } from './index.ts'

const locales: Locale[] = ['de_DE', 'en_US']
const texts = (locale: string) => new Map(Object.entries(translations(locale) ?? {}))
const english = texts('en_US')
const german = texts('de_DE')

// Keys whose German text may be the English one.
const sameInBoth: string[] = []

const placeholders = (template: string) => [...new Set(template.match(/\{\w+\}/g) ?? [])].toSorted()

for (const locale of locales) {
  test(`${locale}: has a text for every error, porting status and SIM order state`, () => {
    const codes = (Object.keys(errors) as ErrorCode[]).map((code) => `error.${code}`)
    const simOrders = simOrderStates.map((state) => `sim_order.status.${state}`)
    const statuses = Object.keys(portingStatuses).map((status) => `porting.status.${status}`)
    assert.deepEqual(
      [...codes, ...statuses, ...simOrders].filter((key) => !texts(locale).get(key)),
      [],
    )
  })
}

test('has a text for every app event', () => {
  const core = new URL('../..', import.meta.url)
  const sources = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const notified = sources.flatMap((name) => [
    ...readFileSync(new URL(name, core), 'utf8').matchAll(/appEvents\.insert\([^)]*?\bname: '(\w+)'/g),
  ])
  assert.ok(notified.length >= 5, 'the events are found')
  for (const [, name] of notified) assert.ok(english.has(`event.${name}`), name)
})

test('has the same keys in both languages', () => {
  assert.deepEqual(
    [...english.keys()].filter((key) => !german.has(key)),
    [],
    'missing in German',
  )
  assert.deepEqual(
    [...german.keys()].filter((key) => !english.has(key)),
    [],
    'missing in English',
  )
})

test('has the same placeholders in both languages', () => {
  for (const [key, template] of english) assert.deepEqual(placeholders(german.get(key) ?? ''), placeholders(template), key)
})

test('translates every text into German', () => {
  const untranslated = [...english].filter(([key, template]) => german.get(key) === template && !sameInBoth.includes(key))
  assert.deepEqual(untranslated, [])
})

test('takes the English error texts from the catalogue', () => {
  for (const [code, { text: catalogued }] of Object.entries(errors)) assert.equal(english.get(`error.${code}`), catalogued)
})

test('has the placeholders that senders fill in', () => {
  const expected: Partial<Record<TextKey, string[]>> = {
    'mail.password_reset.text': ['{link}', '{minutes}'],
    'mail.verification.text': ['{code}'],
    'mail.porting_optin.text': ['{link}', '{numbers}'],
    'page.consent.intro': ['{client}'],
  }
  for (const [key, names] of Object.entries(expected)) assert.deepEqual(placeholders(english.get(key) ?? ''), names, key)
})

test('has no empty text, and several lines only in mails', () => {
  for (const locale of locales) {
    for (const [key, template] of texts(locale)) {
      assert.equal(template.trimStart(), template, key)
      assert.ok(template.length > 0, key)
      assert.equal(template.includes('\n'), /^mail\..*\.text$/.test(key), key)
    }
  }
})

test('returns undefined for an unsupported language', () => {
  for (const locale of ['fr_FR', 'deu', 'de_', '', '__proto__', 'constructor', 'toString'])
    assert.equal(translations(locale), undefined, locale)
})

test('returns the texts of the language for every region', () => {
  for (const locale of ['de', 'de-DE', 'DE_de', 'de_AT']) assert.equal(translations(locale), translations('de_DE'), locale)
  assert.equal(translations('en_GB'), translations('en_US'))
})

test('fills in values once and literally', () => {
  assert.equal(text('en_US', 'page.consent.intro', { client: 'Calendar' }), 'Calendar would like to access your account.')
  assert.equal(text('de_DE', 'page.consent.intro', { client: '{client} $& $1' }), '{client} $& $1 möchte auf Ihr Konto zugreifen.')
  assert.match(
    text('de_DE', 'mail.password_reset.text', { link: 'https://example.com/x', minutes: 30 }),
    /innerhalb von 30 Minuten.*https:\/\/example\.com\/x/s,
  )
  assert.equal(text('en_US', 'page.login.title'), 'Sign in')
})

test('throws when a placeholder has no value', () => {
  assert.throws(() => text('en_US', 'mail.verification.text'), /mail\.verification\.text needs a value for \{code\}/)
  assert.throws(() => text('en_US', 'mail.verification.text', Object.create({ code: '1' }) as Record<string, string>), /\{code\}/)
})
