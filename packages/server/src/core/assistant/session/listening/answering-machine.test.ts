import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'
import { AnsweringMachine } from './answering-machine.ts'

/** Alternating silence and speech in milliseconds; returns the result and its time. */
const listenTo = (...spans: number[]): { result: string | undefined; at: number } => {
  const machine = new AnsweringMachine()
  let now = 0
  const until = (end: number): void => {
    for (let due = machine.due; due !== undefined && due <= end; due = machine.due) {
      now = Math.max(due, now)
      machine.reached(now)
    }
    if (!machine.result) now = end
  }
  for (const [index, span] of spans.entries()) {
    if (machine.result) break
    const speaks = index % 2 === 1
    if (speaks) machine.started(now)
    else if (index > 0) machine.stopped(now)
    until(now + span)
  }
  return { result: machine.result, at: now }
}

test('detects a person by a short greeting and a wait', () => {
  assert.deepEqual(listenTo(700, 400, 5000), { result: 'human', at: 1700 })
  assert.deepEqual(listenTo(1000, 700, 300, 600, 5000), { result: 'human', at: 3200 }, 'a pause in it is no end')
  assert.deepEqual(listenTo(3700, 400, 5000), { result: 'human', at: 4700 }, 'also when it comes late')
})

test('detects a machine by a long greeting', () => {
  assert.deepEqual(listenTo(500, 9000), { result: 'machine', at: 3500 })
  assert.deepEqual(listenTo(500, 1700, 300, 5000), { result: 'machine', at: 3500 })
})

test('reports unknown after some seconds otherwise', () => {
  assert.deepEqual(listenTo(9000), { result: 'unknown', at: 4000 })
  assert.deepEqual(listenTo(500, 2400, 5000), { result: 'unknown', at: 5400 })
})

test('detects a machine by a beep or an announcement', () => {
  for (const text of [
    'Please leave a message after the tone',
    'Bitte hinterlassen Sie eine Nachricht',
    'sprechen Sie nach dem Signalton',
    'Der Teilnehmer ist zurzeit nicht erreichbar',
    'Der gewünschte Gesprächspartner ist momentan nicht erreichbar',
    "I can't come to the phone right now",
    'Nobody is available to take your call at the moment.',
    'The person at extension five zero is unavailable.',
    "You've reached the office of",
  ]) {
    const machine = new AnsweringMachine()
    machine.understood(text)
    assert.equal(machine.result, 'machine', text)
  }
  for (const text of [
    'Hello?',
    'Meier, guten Tag',
    'Yes, who is speaking please',
    'I am available, go ahead',
    'Wen wollen Sie erreichen?',
  ]) {
    const machine = new AnsweringMachine()
    machine.understood(text)
    assert.equal(machine.result, undefined, text)
  }
  const machine = new AnsweringMachine()
  machine.beep()
  assert.equal(machine.result, 'machine')
})

test('gives one result within 10 s', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 12 }), (spans) => {
      const { result, at } = listenTo(...spans, ...(spans.length % 2 === 0 ? [10_000] : [1, 10_000]))
      assert.ok(result !== undefined)
      assert.ok(at <= 10_000, `${at}`)
    }),
  )
})

test('on a call: reports the result once, then the tone', async () => {
  const fixture = new ConversationFixture()
  const answer = fixture.conversation.detectMachine()
  await fixture.caller.silent(500)
  await fixture.caller.speaks('hello this is the voicemail of Jane please leave a message after the tone', 3500)
  assert.equal(await answer, 'machine')
  await fixture.caller.silent(100)
  fixture.caller.observer?.beep?.(0)
  fixture.caller.observer?.beep?.(0)
  assert.equal(fixture.all('beep').length, 1)
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('on a call: decides by words before the time limit; reports unknown after close', async () => {
  const fixture = new ConversationFixture()
  const answer = fixture.conversation.detectMachine()
  let known = Infinity
  void answer.then(() => (known = fixture.clock.now()))
  await fixture.caller.silent(500)
  await fixture.caller.speaks('voicemail of Jane speaking here and now', 3500)
  assert.ok(known < 2000, `${known}`)
  assert.equal(await answer, 'machine')
  await fixture.caller.silent(100)
  assert.deepEqual(await fixture.close(), nothingLeft)
  const other = new ConversationFixture()
  const never = other.conversation.detectMachine()
  assert.deepEqual(await other.close(), nothingLeft)
  assert.equal(await never, 'unknown')
})

test('on a call: asks the recogniser no more after the result until the machine has finished', async () => {
  const fixture = new ConversationFixture()
  const answer = fixture.conversation.detectMachine()
  await fixture.caller.speaks('voicemail of Jane', 2000)
  assert.equal(await answer, 'machine')
  const asked = fixture.stt.asked.length
  await fixture.caller.speaks('who is on holiday', 5000)
  assert.equal(fixture.stt.asked.length, asked)
  await fixture.caller.silent(1000)
  assert.equal(fixture.stt.asked.length, asked + 1)
  assert.deepEqual(await fixture.close(), nothingLeft)
})

test('on a call: detects a person by a hello and a wait, and reports unknown for silence', async () => {
  for (const [words, result, at] of [
    ['Hello', 'human', 1500],
    ['', 'unknown', 4000],
  ] as const) {
    const fixture = new ConversationFixture()
    let known: [string, number] | undefined
    void fixture.conversation.detectMachine().then((answer) => (known = [answer, fixture.clock.now()]))
    await fixture.caller.silent(500)
    if (words) await fixture.caller.speaks(words, 400)
    await fixture.caller.silent(4000)
    assert.deepEqual(known, [result, at])
    assert.deepEqual(await fixture.close(), nothingLeft)
  }
})
