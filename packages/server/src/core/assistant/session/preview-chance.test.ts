// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action, ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { fc } from '#test/chance/fast-check.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { Previews } from './previews.ts'

type Sent = { token: string; text: string; eventId: string; signal: AbortSignal | undefined; answered: boolean }

/** Recording endpoint and conversation. The text of a speech is the token of the preview that it answers. */
class Stage {
  readonly clock = new VirtualClock(0)
  readonly previews: Previews
  readonly sent: Sent[] = []
  readonly revoked = new Set<string>()
  readonly performed: string[] = []
  /** Synthesized and held back. */
  prepared: string[] = []
  readonly told: string[] = []
  turn = 0
  #waiting: Sent | undefined
  #turns = 0

  constructor(duplex: boolean) {
    const turn = (): number => this.turn
    this.previews = new Previews({
      clock: this.clock,
      session: { id: 'session' } as Session,
      endpoint: {
        duplex,
        wants: () => true,
        notify: (body, _asked, signal) => this.#notify(body, signal),
        withdraw: (signal) => this.#withdraw(signal),
        adopt: (eventId) => ({ eventId, turn: this.turn }),
        discarded: () => {},
        get turn() {
          return turn()
        },
      },
      conversation: {
        prepare: (action) => void this.prepared.push((action as ActionOf<'speak'>).text ?? ''),
        dropPrepared: () => (this.prepared = []),
      },
      perform: (actions) => this.#perform(actions),
    })
  }

  /** Sends the queued event. */
  sends(): void {
    if (this.#waiting) this.sent.push(this.#waiting)
    this.#waiting = undefined
  }

  answers(which: number, empty: boolean): void {
    const asked = this.sent[which % Math.max(1, this.sent.length)]
    if (!asked || asked.answered || asked.signal?.aborted) return
    asked.answered = true
    this.previews.replied(asked.token, empty ? [] : [speech(asked.token)], { eventId: asked.eventId, turn: 0 })
  }

  acts(which: number): void {
    const asked = this.sent[which % Math.max(1, this.sent.length)]
    if (!asked) return
    this.#perform(this.previews.sort([speech(asked.token)], { eventId: asked.eventId, turn: 0 }))
  }

  says(text: string): void {
    this.previews.settle()
    this.#turns += 1
    this.turn = this.#turns
    const turn = this.#turns
    this.previews.said(text, () => this.told.push(`${turn} ${text}`))
  }

  #notify(body: AssistantEvent, signal: AbortSignal | undefined): void {
    if (body.type === 'user_speak_revoked') this.revoked.add(body.turn_token)
    if (body.type !== 'user_speak_preview') return
    const { turn_token: token, text } = body
    this.#waiting = { token, text, eventId: `event ${token}`, signal, answered: false }
  }

  #withdraw(signal: AbortSignal): boolean {
    if (this.#waiting?.signal !== signal) return true
    this.#waiting = undefined
    return false
  }

  #perform(actions: readonly Action[]): void {
    for (const action of actions) if (action.type === 'speak') this.performed.push(action.text ?? '')
  }
}

const speech = (token: string): Action => ({ type: 'speak', session_id: 'session', text: token, turn_token: token })

const texts = fc.constantFrom('one', 'two', 'three')
const which = fc.nat(5)
const step = fc.oneof(
  fc.record({ do: fc.constant('pauses' as const), text: texts }),
  fc.record({ do: fc.constantFrom('goesOn' as const, 'sends' as const) }),
  fc.record({ do: fc.constant('answers' as const), which, empty: fc.boolean() }),
  fc.record({ do: fc.constant('acts' as const), which }),
  fc.record({ do: fc.constant('says' as const), text: texts }),
  fc.record({ do: fc.constant('waits' as const), ms: fc.constantFrom(10, 1000, 3000) }),
)

test('never plays or keeps an answer to a revoked preview, and sends every turn once, in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 40 }), async (duplex, steps) => {
      const stage = new Stage(duplex)
      const said: string[] = []
      for (const one of steps) {
        const before = stage.performed.length
        if (one.do === 'pauses') stage.previews.begin({ text: one.text, endProbability: 0.7 })
        if (one.do === 'goesOn') stage.previews.takeBack()
        if (one.do === 'sends') stage.sends()
        if (one.do === 'answers' && !duplex) stage.answers(one.which, one.empty)
        if (one.do === 'acts' && duplex) stage.acts(one.which)
        if (one.do === 'says') said.push(one.text)
        if (one.do === 'says') stage.says(one.text)
        if (one.do === 'waits') await stage.clock.advance(one.ms)
        for (const token of stage.performed.slice(before)) {
          assert.ok(!stage.revoked.has(token), 'it was taken back')
          assert.equal(stage.sent.find((asked) => asked.token === token)?.text, said.at(-1), 'it answers the words of the turn')
        }
        assert.ok(!stage.prepared.some((token) => stage.revoked.has(token)), 'its sound is gone')
      }
      stage.previews.settle()
      assert.deepEqual(
        stage.told,
        said.map((text, index) => `${index + 1} ${text}`),
      )
      stage.previews.close()
      assert.equal(stage.clock.pending(), 0)
    }),
    { numRuns: 2000 },
  )
})
