// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { fc } from '#test/chance/fast-check.ts'
import { addFlow, adminOf } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { transferring } from '#test/routing/transfers.ts'

const mobile = '+4915112345678'

const frequent = ['transfers', 'rings', 'answers', 'accepts', 'declines', 'target hangs up', 'a second passes'] as const
const rare = [
  'early audio',
  'refuses',
  'does not decide',
  'throws',
  'caller hangs up',
  'caller holds',
  'target holds',
  'target wants a transfer',
  'api hangs up',
  'api holds',
  'api transfers',
  'assistant hangs up',
  'half a minute passes',
] as const
type Step = (typeof frequent)[number] | (typeof rare)[number]

/** One caller with an assistant, and a target that is called repeatedly. */
class Story {
  readonly #exchange: Exchange
  readonly #assistant: ScriptedAssistant
  readonly #ada: Customer
  readonly #caller: ScriptedLeg
  readonly #to: string
  #decide: { resolve: (decision: 'accepted' | 'rejected' | 'no_answer') => void; reject: (error: Error) => void } | undefined
  #outcomes: (string | undefined)[] = []
  /** The target accepted, or a user transferred the caller to a target that need not accept. */
  #connected = false

  constructor(exchange: Exchange, assistant: ScriptedAssistant, ada: Customer, caller: ScriptedLeg, to: string) {
    this.#exchange = exchange
    this.#assistant = assistant
    this.#ada = ada
    this.#caller = caller
    this.#to = to
  }

  async run(steps: readonly (readonly [Step, boolean])[]): Promise<void> {
    for (const [step, immediately] of steps) {
      await this.#do(step)
      if (immediately) continue
      await this.#exchange.rest()
      this.#check()
    }
    for (const leg of this.#alive) leg.hangsUp()
    await this.#exchange.seconds(200)
    this.#decide?.resolve('no_answer')
    await this.#exchange.rest()
    assert.ok(
      this.#outcomes.every((outcome) => outcome !== undefined),
      'a transfer without an outcome',
    )
    const { telephony } = this.#exchange
    for (const leg of [this.#caller, ...telephony.called]) {
      assert.ok(leg.over && !leg.observed, `left alone: ${leg.log.join()}`)
      assert.deepEqual([leg.playing, leg.bridge], [[], undefined])
    }
    assert.equal((await this.#exchange.money(this.#ada)).reserved, 0)
    assert.equal(this.#exchange.callRouter.size, 0)
  }

  get #alive(): ScriptedLeg[] {
    return [this.#caller, ...this.#exchange.telephony.called].filter(({ over }) => !over)
  }

  /** Most recently called phone. */
  get #target(): ScriptedLeg | undefined {
    return this.#exchange.telephony.called.at(-1)
  }

  #transfer(): void {
    const place = this.#outcomes.push(undefined) - 1
    const brief = (leg: Leg): Promise<'accepted' | 'rejected' | 'no_answer'> => {
      const { promise, resolve, reject } = Promise.withResolvers<'accepted' | 'rejected' | 'no_answer'>()
      this.#decide = { resolve, reject }
      void leg.ended.then(() => resolve('rejected'))
      return promise
    }
    void this.#assistant.call.transfer(this.#to, { brief }).then((outcome) => {
      this.#outcomes[place] = outcome
      this.#connected ||= outcome === 'taken'
    })
  }

  async #do(step: Step): Promise<void> {
    const target = this.#target
    const [view] = this.#exchange.calls.list(adminOf(this.#ada))
    const refused = (): void => {}
    const steps: Record<Step, () => unknown> = {
      transfers: () => this.#transfer(),
      rings: () => target?.rings(),
      'early audio': () => target?.sendsEarlyAudio(),
      answers: () => target?.answers(),
      refuses: () => target?.answered || target?.refuses('busy', 486),
      'target hangs up': () => target?.answered && target.hangsUp(),
      accepts: () => this.#decide?.resolve('accepted'),
      declines: () => this.#decide?.resolve('rejected'),
      'does not decide': () => this.#decide?.resolve('no_answer'),
      throws: () => this.#decide?.reject(new Error('out of order')),
      'caller hangs up': () => this.#caller.hangsUp(),
      'caller holds': () => this.#caller.holds(!this.#caller.heldByPeer),
      'target holds': () => target?.holds(!target.heldByPeer),
      'target wants a transfer': () => target?.answered && target.asksTransfer({ dialled: mobile }),
      'api hangs up': () => void view?.hangUp().catch(refused),
      'api holds': () => void view?.hold(true).catch(refused),
      'api transfers': () => {
        this.#connected = true
        return view && transferring(this.#exchange, this.#ada, view.callId, { phoneNumber: mobile })
      },
      'assistant hangs up': () => this.#assistant.call.hangUp('assistant_hangup'),
      'a second passes': () => this.#exchange.seconds(1),
      'half a minute passes': () => this.#exchange.seconds(31),
    }
    await steps[step]()
  }

  /** Parties hear only those who accepted; a caller alone with the assistant hears no music. */
  #check(): void {
    if (this.#caller.over) {
      assert.deepEqual(this.#alive, [], 'the target is left')
      return
    }
    const pending = this.#outcomes.includes(undefined)
    if (this.#connected) return
    assert.deepEqual(this.#caller.hears, [], 'hears somebody who has not accepted')
    const answered = this.#exchange.telephony.called.filter((leg) => leg.answered && !leg.over)
    assert.ok(answered.length <= 1 && (pending || answered.length === 0), 'somebody is left on the line')
    for (const leg of answered) assert.deepEqual([leg.hears, leg.playing], [[], []])
    const held = this.#caller.log.filter((one) => one.startsWith('hold')).at(-1) === 'hold true'
    const music = this.#caller.playing.length
    if (!pending && !held) assert.equal(music, 0, `music: ${this.#caller.log.join()}`)
  }
}

test('connects only accepted targets and leaves no state behind for any sequence of events', async (t) => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows: assistant })
  await exchange.addTrunk()
  const step = fc.tuple(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...frequent) }, { weight: 1, arbitrary: fc.constantFrom(...rare) }),
    fc.boolean(),
  )
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 4, maxLength: 16 }), async (outside, steps) => {
      exchange.telephony.called.length = 0
      exchange.failures.length = 0
      const ada = await exchange.newCustomer()
      await addFlow(exchange, ada, { transferTargets: ['+49*', 'p0'] })
      const caller = await exchange.callIn(ada.number)
      await exchange.rest()
      await new Story(exchange, assistant, ada, caller, outside ? mobile : 'p0').run([['transfers', false], ...steps])
      assert.ok(
        exchange.failures.every((error) => error instanceof Error && error.message === 'out of order'),
        String(exchange.failures),
      )
      exchange.failures.length = 0
    }),
    { numRuns: 80 },
  )
})
