import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { NoAnswer, NoAnswerError, type Bus } from '#core/kernel/ports/platform.ts'

export interface BusCase {
  name: string
  /** Two connected buses, possibly the same one. Undefined: skipped. */
  open: (t: TestContext) => Promise<{ here: Bus; there: Bus } | undefined>
}

const shortMs = 50

/** Conformance tests of every bus. Both ends are connected. */
export const busConformance = ({ name, open }: BusCase): void => {
  const tried = (what: string, run: (here: Bus, there: Bus, t: TestContext) => Promise<void>): void =>
    void test(`${name}: ${what}`, async (t) => {
      const opened = await open(t)
      if (opened) await run(opened.here, opened.there, t)
    })

  tried('asks a responder until it unsubscribes', async (here, there) => {
    const leave = there.answer('call.1', (body) => ({ got: body }))
    await known(here, 'call.1')
    assert.deepEqual(await here.ask('call.1', { op: 'hold', text: 'Grüße 📞' }), { got: { op: 'hold', text: 'Grüße 📞' } })
    leave()
    await unknown(here, 'call.1')
    await rejects(here.ask('call.2', {}), NoAnswerError)
  })

  tried('returns delayed replies, any JSON value, or none', async (here, there) => {
    const values = [null, 0, '', false, [], [1, { a: null }], undefined]
    there.answer('values', async (index) => values[index as number])
    await known(here, 'values')
    for (const [index, value] of values.entries()) assert.deepEqual(await here.ask('values', index), value)
  })

  tried('reports a failed responder immediately, without affecting others', async (here, there) => {
    there.answer('thrown', () => {
      throw new Error('thrown')
    })
    there.answer('rejected', async () => Promise.reject(new Error('rejected')))
    await known(here, 'rejected')
    for (const subject of ['thrown', 'rejected']) await rejects(here.ask(subject, {}, { ms: 60_000 }), NoAnswer)
  })

  tried('times out after the given time without a reply', async (here, there, t) => {
    const never = Promise.withResolvers<void>()
    t.after(() => never.resolve())
    there.answer('never', () => never.promise)
    await known(here, 'never', shortMs)
    await rejects(here.ask('never', {}, { ms: shortMs }), NoAnswer)
    assert.deepEqual(await here.askAll('never', {}, { expected: 1, ms: shortMs }), [])
  })

  tried('asks one of several responders, or all', async (here, there) => {
    let asked = 0
    for (const bus of [here, there])
      bus.answer('calls.list', (body) => {
        asked++
        return body
      })
    await settled(here, there)
    assert.equal(await here.ask('calls.list', 7), 7)
    await there.ask('calls.list', 8) // a duplicate delivery of the first would be done by now
    assert.equal(asked, 2)
    assert.deepEqual(await here.askAll('calls.list', 9, { expected: 2, ms: 60_000 }), [9, 9])
    assert.deepEqual(await here.askAll('nobody', 9, { expected: 2, ms: 60_000 }), [])
  })

  tried('omits a failed responder from the replies of all', async (here, there) => {
    here.answer('half', () => 'whole')
    there.answer('half', () => Promise.reject(new Error('not me')))
    await settled(here, there)
    assert.deepEqual(await here.askAll('half', {}, { expected: 2, ms: 60_000 }), ['whole'])
  })

  tried('delivers notifications to all, including the sender, in order', async (here, there) => {
    const heard = { here: vadPool(here, 'alive'), there: vadPool(there, 'alive') }
    await settled(here, there)
    for (let index = 0; index < 50; index++) here.notify('alive', { index })
    here.notify('alive', 'end')
    for (const { ended, bodies } of Object.values(heard)) {
      await ended
      assert.deepEqual(bodies, [...Array.from({ length: 50 }, (_, index) => ({ index })), 'end'])
    }
  })

  tried('matches one word with a star, and passes the subject', async (here, there) => {
    const subjects: string[] = []
    there.hear('timeline.7.*', (_, subject) => subjects.push(subject))
    const { ended } = vadPool(there, 'end')
    await settled(here, there)
    for (const subject of ['timeline.7.a', 'timeline.8.a', 'timeline.7', 'timeline.7.a.b', 'timeline.7.b']) here.notify(subject, {})
    here.notify('end', 'end')
    await ended
    assert.deepEqual(subjects, ['timeline.7.a', 'timeline.7.b'])
  })

  tried('delivers nothing after an unsubscribe', async (here, there) => {
    const heard: unknown[] = []
    const deaf = there.hear('state.busy', (body) => heard.push(body))
    const { ended } = vadPool(there, 'end')
    await settled(here, there)
    deaf()
    await settled(here, there)
    here.notify('state.busy', 1)
    here.notify('end', 'end')
    await ended
    assert.deepEqual(heard, [])
  })

  tried('keeps delivering when a listener throws', async (here, there) => {
    there.hear('state.trunk', () => {
      throw new Error('bad ear')
    })
    const { ended } = vadPool(there, 'state.trunk')
    await settled(here, there)
    here.notify('state.trunk', 'end')
    await ended
  })

  tried('stops answering after a close', async (here, there) => {
    if (here === there) return
    there.answer('call.3', () => 1)
    await known(here, 'call.3')
    await there.close()
    await rejects(here.ask('call.3', {}), NoAnswerError)
  })
}

const rejects = (asked: Promise<unknown>, kind: typeof NoAnswerError | typeof NoAnswer): Promise<void> =>
  assert.rejects(asked, (error) => error instanceof kind)

/** Subscriptions need a moment to reach a server. */
const known = async (bus: Bus, subject: string, ms?: number): Promise<void> => {
  for (;;) {
    const reached = await bus.ask(subject, null, ms === undefined ? {} : { ms }).then(
      () => true,
      (error) => error instanceof NoAnswer,
    )
    if (reached) return
  }
}

/** Their end does, too; until then nothing replies. */
const unknown = async (bus: Bus, subject: string): Promise<void> => {
  for (;;) {
    const error = await bus.ask(subject, null, { ms: shortMs }).catch((refused: unknown) => refused)
    if (error instanceof NoAnswerError) return
    assert.ok(error instanceof NoAnswer)
  }
}

let marks = 0
/** Earlier subscriptions of either bus are known to the other. */
const settled = async (...buses: Bus[]): Promise<void> => {
  for (const bus of buses) {
    const subject = `settled.${marks++}`
    const leave = bus.answer(subject, () => null)
    for (const other of buses) await known(other, subject)
    leave()
  }
}

const vadPool = (bus: Bus, subject: string): { bodies: unknown[]; ended: Promise<unknown> } => {
  const bodies: unknown[] = []
  const emitter = new EventTarget()
  const ended = once(emitter, 'end')
  bus.hear(subject, (body) => {
    bodies.push(body)
    if (body === 'end') emitter.dispatchEvent(new Event('end'))
  })
  return { bodies, ended }
}
