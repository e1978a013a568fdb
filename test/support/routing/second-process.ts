import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { EndReason } from '#core/kernel/ports/calls.ts'
import { CallTakeover } from '#core/telephone/call/takeover/call-takeover.ts'
import { recoverParts } from './lost-calls.ts'
import { Exchange, type ExchangeOptions } from './scripted-exchange.ts'
import { ScriptedAssistant } from './scripted-assistant.ts'

export interface SecondProcess {
  exchange: Exchange
  takeover: CallTakeover
  /** Reasons of the calls that it could not resume. */
  ends: readonly EndReason[]
  /** The first process is silent: takes over its calls. */
  takeOver(): Promise<void>
  /** Asserts that no call is left in the store, and nothing failed. */
  assertClean(): Promise<void>
}

/** Starts another process on the same store, with the same recordings. */
export const openSecond = (
  t: TestContext,
  first: Exchange,
  options: Pick<ExchangeOptions, 'flows' | 'guide' | 'keepsTimelines' | 'attempts'> = {},
): SecondProcess => {
  const { flows = new ScriptedAssistant(), guide, keepsTimelines, attempts } = options
  const exchange = new Exchange(first.store, flows, guide, 'bridge', keepsTimelines, first.clock.now(), attempts)
  t.after(() => exchange.close())
  return rescuing(first, exchange)
}

/** The same with an existing exchange. */
export const rescuing = (first: Exchange, exchange: Exchange): SecondProcess => {
  const ends: EndReason[] = []
  const takeover = new CallTakeover({
    ...recoverParts(exchange),
    onEnded: ({ end }) => void (end && ends.push(end.reason)),
    store: exchange.watched,
    files: first.recordings,
    leases: exchange.leases,
    resume: (saved, aliveAt) => exchange.callRouter.resume(saved, aliveAt),
    living: () => 1,
    closing: new AbortController().signal,
  })
  return {
    exchange,
    takeover,
    ends,
    async takeOver() {
      const calls = exchange.callRouter.size
      const done = takeover.ofSilent(first.leases.owner, { aliveAt: exchange.clock.now() - 1_000, share: calls })
      await exchange.seconds(2)
      await done
      await takeover.idle()
      await exchange.rest()
    },
    async assertClean() {
      for (const { leases, failures } of [first, exchange]) {
        assert.deepEqual(await exchange.store.read.runningCalls.listOf(leases.owner, 9), [])
        assert.deepEqual(failures, [])
      }
    },
  }
}
