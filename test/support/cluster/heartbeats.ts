import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { localBus, LocalHub } from '#adapters/bus/local-bus.ts'
import { Heartbeat } from '#core/kernel/peer-nodes/heartbeat.ts'
import type { Bus } from '#core/kernel/ports/platform.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'

export interface HeartbeatProcess {
  heartbeat: Heartbeat
  clock: VirtualClock
  /** Observed events, in order. */
  seen: string[]
  names(): string[]
}

/** Nodes with separate clocks, so that each can stall independently. */
export const house = (t: TestContext) => {
  const hub = new LocalHub()
  const dead = new Set<string>()
  const all: HeartbeatProcess[] = []
  /** Messages that wait for a stalled process. */
  const unheard = new Map<VirtualClock, (() => void)[]>()
  const join = (self: string, given: Bus = localBus(hub)): HeartbeatProcess => {
    const clock = new VirtualClock(0)
    const seen: string[] = []
    const bus = hearingWhileAwake(given, (hear) => (unheard.get(clock)?.push(hear) === undefined ? hear() : undefined))
    const probe = async (http: string): Promise<boolean> => !dead.has(http)
    const heartbeat = new Heartbeat({ bus, clock, self, probe, onUnreachable: ({ owner }) => seen.push(`unreachable ${owner}`) })
    heartbeat.onGone(({ owner }) => seen.push(`gone ${owner} at ${clock.elapsed()}`))
    heartbeat.onStall((ms) => seen.push(`stalled ${ms}`))
    heartbeat.start(() => ({ http: self, sip: `sip:${self}`, version: '1', snapshots: 1, calls: 0, draining: false }))
    const process = {
      heartbeat,
      clock,
      seen,
      names: () =>
        heartbeat
          .others()
          .map(({ owner }) => owner)
          .toSorted(),
    }
    all.push(process)
    t.after(async () => {
      await heartbeat.close()
      await bus.close()
      assert.equal(clock.pending(), 0)
    })
    return process
  }
  /** Advances the clocks of these nodes only; the others are stalled or dead. */
  const pass = async (ms: number, ...living: HeartbeatProcess[]): Promise<void> => {
    for (const { clock } of all) if (!unheard.has(clock)) unheard.set(clock, [])
    for (const { clock } of living) {
      const missed = unheard.get(clock) ?? []
      unheard.delete(clock)
      for (const hear of missed) hear()
    }
    for (let passed = 0; passed < ms; passed += 50) for (const { clock } of living) await clock.advance(50)
  }
  return { hub, dead, join, pass, all }
}

/** `deliver`: runs the listener now or later. */
const hearingWhileAwake = (bus: Bus, deliver: (hear: () => void) => void): Bus => ({
  answer: (subject, answering) => bus.answer(subject, answering),
  ask: (subject, body, asking) => bus.ask(subject, body, asking),
  askAll: (subject, body, asking) => bus.askAll(subject, body, asking),
  notify: (subject, body) => bus.notify(subject, body),
  hear: (subject, hearing) => bus.hear(subject, (body, of) => deliver(() => hearing(body, of))),
  get connected() {
    return bus.connected
  },
  alone: bus.alone,
  onConnection: (changed) => bus.onConnection(changed),
  close: () => bus.close(),
})
