import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spokenTime, spokenTimes } from './spoken.ts'

const now = Date.parse('2026-11-19T09:00:00Z') // a Thursday
const say = (iso: string, language: string, timeZone = 'Europe/Berlin'): string => spokenTime(Date.parse(iso), { language, timeZone, now })

test('says times in English and German', () => {
  assert.equal(say('2026-11-19T13:30:00Z', 'en-US'), 'today at 2:30 pm')
  assert.equal(say('2026-11-20T08:00:00Z', 'en-US'), 'tomorrow, Friday, at 9 am')
  assert.equal(say('2026-11-23T11:00:00Z', 'en-US'), 'Monday, November 23, at 12 pm')
  assert.equal(say('2026-11-23T08:15:00Z', 'en-GB'), 'Monday 23 November, at 9:15 am')
  assert.equal(say('2026-11-19T13:30:00Z', 'de-DE'), 'heute um 14 Uhr 30')
  assert.equal(say('2026-11-20T08:00:00Z', 'de'), 'morgen, Freitag, um 9 Uhr')
  assert.equal(say('2026-11-21T08:05:00Z', 'de-AT'), 'übermorgen, Samstag, um 9 Uhr 5')
  assert.equal(say('2026-11-23T08:00:00Z', 'de'), 'Montag, den 23. November, um 9 Uhr')
  assert.equal(say('2026-11-22T23:30:00Z', 'de'), 'Montag, den 23. November, um 0 Uhr 30')
})

test('uses the time zone of the calendar for the day, too', () => {
  assert.equal(say('2026-11-19T23:30:00Z', 'en-US'), 'tomorrow, Friday, at 12:30 am')
  assert.equal(say('2026-11-19T23:30:00Z', 'en-US', 'America/New_York'), 'today at 6:30 pm')
})

test('says times in a language without rules of its own, and in English for an unknown one', () => {
  assert.equal(say('2026-11-23T08:00:00Z', 'fr-FR'), 'lundi 23 novembre, 9:00')
  assert.match(say('2026-11-23T08:00:00Z', 'not a language'), /^Monday/)
})

test('groups several times by day', () => {
  const times = ['2026-11-20T08:00:00Z', '2026-11-20T08:30:00Z', '2026-11-20T13:00:00Z', '2026-11-23T08:00:00Z'].map((iso) =>
    Date.parse(iso),
  )
  const listening = { timeZone: 'Europe/Berlin', now }
  assert.equal(
    spokenTimes(times, { ...listening, language: 'en-US' }),
    'tomorrow, Friday, at 9 am, 9:30 am, or 2 pm; Monday, November 23, at 9 am',
  )
  assert.equal(
    spokenTimes(times, { ...listening, language: 'de-DE' }),
    'morgen, Freitag, um 9 Uhr, 9 Uhr 30 oder 14 Uhr; Montag, den 23. November, um 9 Uhr',
  )
})
