import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Speech } from '#core/kernel/ports/speech.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import { fc } from '#test/chance/fast-check.ts'
import { Outside } from '#test/chance/outside.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { ScriptedVad, ScriptedStt, ScriptedTts } from '#test/session/scripted-recogniser-and-voice.ts'
import { SessionLanguage } from './session-language.ts'
import { openConversation } from './floor/open-conversation.ts'
import { Briefing, type BriefingDeps, type Decision } from './briefing.ts'

const text = 'Ms Miller asks about her bill.'
const question = /^To take it, press one/

/** A target that has answered the phone; the conversation is real. */
class Scene {
  readonly clock = new VirtualClock(0)
  readonly leg = new ScriptedLeg(this.clock, new Outside())
  readonly person = new ScriptedVad(this.clock)
  readonly stt = new ScriptedStt(this.person, this.clock)
  readonly tts = new ScriptedTts(this.clock)
  readonly hangUp: (reason: unknown) => void
  decision: Decision | undefined
  decidedAt = -1
  readonly #sounded: string[] = []

  constructor(options: Partial<BriefingDeps> = {}) {
    const { promise: over, resolve } = Promise.withResolvers<unknown>()
    this.hangUp = resolve
    const { clock, leg, person, stt, tts } = this
    const speech: Speech = { vad: person, stt: () => stt, tts: () => tts, prepare: async () => {}, close: () => Promise.resolve() }
    const outbound = { request: () => Promise.reject(new Error('no network')), close: () => Promise.resolve() }
    const flow = { id: 'flow', name: 'flow', settings: {} }
    const parts = {
      leg,
      speech,
      clock,
      outbound,
      cache: new SpeechCache(),
      rehearsals: new Rehearsals(),
      flow,
      language: new SessionLanguage('en'),
    }
    const briefing = new Briefing({
      clock,
      leg,
      openConversation: (events) => {
        events.listen({ sounds: (begun) => this.#sounded.push(begun.text ?? '') })
        return openConversation(parts, events)
      },
      sessionId: 'session',
      text,
      language: 'en',
      detectsMachines: false,
      over,
      ...options,
    })
    void briefing.decided.then((decision) => {
      this.decision = decision
      this.decidedAt = clock.now()
    })
  }

  /** Text played to the person so far. */
  get heard(): string {
    return this.#sounded.join(' ')
  }

  /** Waits until the question was asked this many times. */
  async asked(times = 1): Promise<void> {
    for (let ms = 0; ms < 60_000 && this.heard.split('Do you take the call?').length <= times; ms += 100) await this.person.silent(100)
    await this.person.silent(200)
  }

  /** Asserts that no listener, speech or timer is left. */
  async leavesNothing(): Promise<void> {
    this.leg.hangsUp()
    await this.clock.advance(100) // the detector lags behind
    assert.ok(this.decision)
    const left = [
      this.clock.pending(),
      this.stt.streams,
      this.tts.running,
      this.person.open,
      this.leg.feeds.filter(({ result }) => !result).length,
    ]
    assert.deepEqual([left, this.leg.observed], [[0, 0, 0, 0, 0], false])
  }
}

test('briefs the target after a greeting and accepts a key at any time', async () => {
  for (const [key, decision] of [
    ['1', 'accepted'],
    ['2', 'declined'],
  ] as const) {
    const scene = new Scene()
    await scene.person.speaks('Meier hello', 700)
    await scene.person.silent(1_500)
    assert.ok(scene.heard.startsWith('Ms Miller'), 'not while somebody greets')
    scene.leg.presses('57*')
    await scene.asked()
    assert.equal(scene.decision, undefined)
    const at = scene.clock.now()
    scene.leg.presses(key)
    await scene.clock.advance(0)
    assert.deepEqual([scene.decision, scene.decidedAt], [{ decision, by: 'key' }, at])
    assert.equal(scene.leg.feeds.at(-1)?.result?.completed, false, 'nothing sounds any more')
    await scene.leavesNothing()
  }
  const early = new Scene()
  early.leg.presses('1')
  await early.leavesNothing()
  assert.deepEqual([early.decision, early.heard], [{ decision: 'accepted', by: 'key' }, ''])
})

test('accepts a spoken yes or no only after the question began', async () => {
  for (const [words, decision] of [
    ['Yes please', 'accepted'],
    ['No thanks', 'declined'],
  ] as const) {
    const scene = new Scene()
    await scene.person.speaks('Yes', 400)
    await scene.person.silent(1_800)
    await scene.person.speaks('Yes yes', 400)
    await scene.asked()
    assert.equal(scene.decision, undefined)
    await scene.person.speaks(words, 600)
    await scene.person.silent(1_500)
    assert.deepEqual(scene.decision, { decision, by: 'voice' })
    await scene.leavesNothing()
  }
})

test('repeats the briefing once without a decision, then gives up', async () => {
  const scene = new Scene({ text: undefined })
  await scene.asked(2)
  assert.equal(scene.heard.match(/There is a call for you/g)?.length, 2)
  await scene.person.silent(12_000)
  assert.deepEqual(scene.decision, { decision: 'none' })
  assert.equal(scene.heard.match(/There is a call for you/g)?.length, 2)
  await scene.leavesNothing()
})

test('repeats the question after an unclear answer, not after a noise', async () => {
  const scene = new Scene()
  await scene.asked()
  await scene.person.silent(5_000)
  await scene.person.speaks('', 300)
  await scene.person.silent(5_000)
  assert.equal(scene.heard.match(/Ms Miller/g)?.length, 1)
  await scene.person.speaks('Who is it', 700)
  await scene.person.silent(2_000)
  assert.equal(scene.heard.match(/Ms Miller/g)?.length, 2)
  await scene.asked(2)
  await scene.person.speaks('Sorry what', 500)
  await scene.person.silent(3_000)
  await scene.person.speaks('Okay yes', 500)
  await scene.person.silent(1_500)
  assert.deepEqual(scene.decision, { decision: 'accepted', by: 'voice' })
  await scene.leavesNothing()
})

test('declines on hang-up; ends without a decision when the call is over or a machine answers', async () => {
  const gone = new Scene()
  await gone.person.silent(2_000)
  gone.leg.hangsUp()
  await gone.leavesNothing()
  assert.deepEqual(gone.decision, { decision: 'declined', by: 'hangup' })
  const over = new Scene()
  await over.person.silent(2_000)
  over.hangUp('caller_hangup')
  await over.clock.advance(0)
  assert.deepEqual([over.decision, over.leg.over], [{ decision: 'none' }, undefined])
  await over.leavesNothing()
  const machine = new Scene({ detectsMachines: true })
  await machine.person.speaks('Yes you have reached the voicemail of nobody', 4_000)
  await machine.person.silent(1_000)
  assert.deepEqual(machine.decision, { decision: 'none', by: 'machine' })
  await machine.leavesNothing()
})

test('never connects an answering machine, even without detection', async () => {
  const scene = new Scene()
  await scene.person.speaks('Yes this is the answering machine of Ada please speak after the tone', 5_000)
  await scene.person.silent(60_000)
  assert.deepEqual(scene.decision, { decision: 'none' })
  await scene.leavesNothing()
})

test('accepts keys and ends when the voice or recogniser fails', async () => {
  const mute = new Scene()
  mute.tts.failsAfter = 0
  await mute.person.silent(30_000)
  assert.deepEqual(mute.decision, { decision: 'none' })
  await mute.leavesNothing()
  const deaf = new Scene()
  await deaf.person.silent(1_000)
  deaf.person.observer?.lost()
  await deaf.asked()
  deaf.leg.presses('1')
  await deaf.leavesNothing()
  assert.deepEqual(deaf.decision, { decision: 'accepted', by: 'key' })
})

test('decides exactly once, in time, and leaves no resources for any order of events', async () => {
  const events = fc.oneof(
    fc.record({ kind: fc.constant('silent' as const), ms: fc.integer({ min: 10, max: 9_000 }) }),
    fc.record({
      kind: fc.constant('says' as const),
      words: fc.constantFrom('Yes', 'No', 'Hello there', 'Yes who is it', ''),
      ms: fc.integer({ min: 200, max: 2_500 }),
    }),
    fc.record({ kind: fc.constant('key' as const), key: fc.constantFrom('1', '2', '3', '#') }),
    fc.record({ kind: fc.constantFrom('hangs up' as const, 'over' as const, 'lost' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(events, { maxLength: 12 }), async (all) => {
      const scene = new Scene()
      let saidYes = false
      let pressed = ''
      for (const one of all) {
        if (scene.decision) break
        if (one.kind === 'silent') await scene.person.silent(one.ms)
        else if (one.kind === 'says') {
          saidYes ||= one.words === 'Yes' && question.test(scene.heard.slice(scene.heard.indexOf('To take')))
          await scene.person.speaks(one.words, one.ms)
        } else if (one.kind === 'key') {
          scene.leg.presses(one.key)
          if (/[12]/.test(one.key)) pressed ||= one.key
        } else if (one.kind === 'hangs up') scene.leg.hangsUp()
        else if (one.kind === 'over') scene.hangUp('over')
        else scene.person.observer?.lost()
        await scene.clock.advance(0)
      }
      if (!scene.decision) await scene.clock.advance(101_000)
      assert.ok(scene.decision && scene.decidedAt <= 101_000)
      if (scene.decision.decision === 'accepted') assert.ok(scene.decision.by === 'key' ? pressed === '1' : saidYes)
      await scene.leavesNothing()
    }),
    { numRuns: 60 },
  )
})
