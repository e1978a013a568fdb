import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LeashRules, weekdays as known } from '@offhook/contract/v1/authorization/leashes.ts'
import { formOf, rulesOf, weekdays, type Leash } from './leash-form.ts'

const leash = (rules: Partial<Leash>): Leash => ({
  leashId: 't1',
  holder: 'token',
  name: 'Assistant',
  used: { calls: 0, sms: 0, spent: 0 },
  resetsAt: '2026-11-18T00:00:00.000Z',
  ...rules,
})

const full = {
  allowedNumbers: ['+4930*', 'p0'],
  hours: { weekdays: ['mon', 'fri'], from: '09:00', to: '17:30', timeZone: 'Europe/Berlin' },
  callsPerDay: 0,
  smsPerDay: 3,
  maxSpend: 50_000,
  confirm: 'client',
  tools: ['list_calls', 'place_call'],
} satisfies ReturnType<typeof rulesOf>

test('round-trips the rules of a leash', () => {
  assert.deepEqual(rulesOf(formOf(leash(full))), full)
  assert.deepEqual(Object.keys(LeashRules.properties).toSorted(), Object.keys(full).toSorted(), 'the form knows every rule')
  assert.deepEqual(weekdays, known)
})

test('omits unlimited rules; an empty list differs from no limit', () => {
  assert.deepEqual(rulesOf(formOf(leash({}))), { confirm: 'none' })
  assert.deepEqual(rulesOf(formOf(leash({ allowedNumbers: [] }))), { allowedNumbers: [], confirm: 'none' })
})

test('a new leash allows no numbers, limits calls and SMS, and requires confirmation', () => {
  assert.deepEqual(rulesOf(formOf(undefined)), { allowedNumbers: [], callsPerDay: 10, smsPerDay: 10, confirm: 'client' })
})
