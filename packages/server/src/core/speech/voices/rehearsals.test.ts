import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Rehearsals } from './rehearsals.ts'

const forever = new AbortController().signal

test('runs one after the other despite failures, and skips aborted ones', async () => {
  const rehearsals = new Rehearsals()
  const made: string[] = []
  const gate = Promise.withResolvers<void>()
  const gone = new AbortController()
  const make = (name: string) => async () => void made.push(name)
  rehearsals.add(forever, () => gate.promise)
  rehearsals.add(forever, () => Promise.reject(new Error('no voice')))
  rehearsals.add(gone.signal, make('gone'))
  rehearsals.add(forever, make('wanted'))
  await turn()
  assert.deepEqual(made, [])
  gone.abort()
  gate.resolve()
  await turn()
  assert.deepEqual(made, ['wanted'])
  rehearsals.add(forever, make('later'))
  await turn()
  assert.deepEqual(made, ['wanted', 'later'])
})

test('runs a named rehearsal once', async () => {
  const rehearsals = new Rehearsals()
  const made: string[] = []
  for (const name of ['one', 'two', 'one', 'two']) rehearsals.addOnce(name, async () => void made.push(name))
  await turn()
  assert.deepEqual(made, ['one', 'two'])
})

test('rejects rehearsals beyond the queue limit', async () => {
  const rehearsals = new Rehearsals()
  let made = 0
  for (let i = 0; i < 600; i++) rehearsals.add(forever, async () => void made++)
  for (let i = 0; i < 5; i++) await turn()
  assert.equal(made, 501)
})
