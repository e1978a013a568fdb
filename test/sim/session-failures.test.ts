import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { extendedEvents } from '@offhook/contract/assistant/events.ts'
import { sessionEndReasons } from '@offhook/contract/assistant/session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { openTestStore } from '#test/store/databases.ts'
import { unreachable, type Input } from '#test/session/scripted-endpoint.ts'
import { SessionFixture } from '#test/session/session-fixture.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

const colleague = '+4921163559999'

interface Scene {
  settings: FlowSettings
  reply: (event: OutgoingEvent) => Input[] | Error
  play: (fixture: SessionFixture, caller: ScriptedLeg) => Promise<unknown>
}

const greets = ({ body }: OutgoingEvent, ...more: Input[]): Input[] =>
  body.type === 'session_start' ? [{ type: 'speak', text: 'Hello, what can I do for you?' }, ...more] : []

const scenes: Record<string, Scene> = {
  'a caller breaks in, presses keys and is told goodbye': {
    settings: { extendedEvents },
    reply: (event) => {
      if (event.body.type === 'dtmf_received') return [{ type: 'speak', text: 'Goodbye' }, { type: 'hangup' }]
      if (event.body.type !== 'user_speak') return greets(event, { type: 'mix_audio', audio: '' })
      return [{ type: 'barge_in' }, { type: 'configure_transcription', languages: ['de-DE'] }, { type: 'audio', audio: '' }]
    },
    play: async (fixture, caller) => {
      await fixture.seconds(0.5)
      fixture.conversations.at(-1)?.callerSays('Stop')
      await fixture.seconds(2)
      caller.presses('1')
      await fixture.seconds(2)
    },
  },
  'a caller is transferred': {
    settings: { transferTargets: [colleague] },
    reply: (event) => greets(event, { type: 'transfer', target: colleague }),
    play: async (fixture) => {
      await fixture.seconds(3)
      fixture.exchange.ringing[0]?.answers()
      await fixture.seconds(3)
    },
  },
  'an endpoint that cannot be reached': {
    settings: { fallback: { text: 'One moment', transferTo: colleague } },
    reply: unreachable,
    play: async (fixture) => {
      await fixture.seconds(3)
      fixture.exchange.ringing[0]?.refuses('busy')
      await fixture.seconds(3)
    },
  },
}

/** For every failed request: one end for each started session, no leftovers, and a report. */
const playOnce = async (store: Store, scene: Scene, failAt: number, loseAnswer: boolean): Promise<string[]> => {
  const fixture = new SessionFixture(store)
  const { outside, failures } = fixture.exchange
  fixture.endpoints.reply = scene.reply
  const customer = await fixture.newCustomer(scene.settings)
  Object.assign(outside, { failAt, loseAnswer })
  const caller = await fixture.exchange.callIn(customer.number)
  await scene.play(fixture, caller)
  caller.hangsUp()
  await fixture.seconds(60)
  const asked = outside.asked.slice()
  const what = `${failAt}: ${asked[failAt - 1]}`
  outside.failAt = undefined
  await fixture.close()
  assert.ok(!caller.observed, what)
  const began = fixture.endpoints.channels.filter(({ sent }) => sent.length > 0)
  const ends = await fixture.ends()
  assert.equal(ends.length, began.length, what)
  for (const { body } of ends) assert.ok(body.type === 'session_end' && sessionEndReasons.includes(body.reason), what)
  if (failAt <= asked.length) assert.ok(failures.length > 0, `${what} was kept quiet`)
  else assert.deepEqual(failures, [])
  return asked
}

const everyFailure = async (t: TestContext, scene: Scene): Promise<void> => {
  const store = await openTestStore(t, 'sqlite')
  await new SessionFixture(store).exchange.addTrunk()
  let asked: string[] = Array.from({ length: 10 })
  for (let failAt = 1; failAt <= asked.length + 1; failAt++) asked = await playOnce(store, scene, failAt, false)
  assert.ok(asked.length > 20)
  for (const [index, what] of asked.entries()) if (what === 'write') await playOnce(store, scene, index + 1, true)
}

for (const [name, scene] of Object.entries(scenes))
  test(`recovers when every external request fails once: ${name}`, (t) => everyFailure(t, scene))
