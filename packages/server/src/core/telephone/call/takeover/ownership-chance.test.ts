// test: chance
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { dice } from '#test/chance/dice.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openTestStore } from '#test/store/databases.ts'
import { SplitBroker } from '#test/takeover/split-house.ts'
import { SplitProcess } from '#test/takeover/split-process.ts'

/** More: OFFHOOK_TEST_SPLITS=200. */
const runs = Number(process.env['OFFHOOK_TEST_SPLITS'] ?? 12)
const names = ['A', 'B', 'C']
const callsOfEach = 2
const faultyMs = 90_000
/** A call has no sender for at most this long while one process is well. */
const maxSilentMs = 30_000
const stepMs = 100

type Roll = (sides: number) => number

/** One installation whose links break at random. */
class SplitHouse {
  readonly wire: VirtualClock
  readonly processes: readonly SplitProcess[]
  readonly history: string[] = []
  readonly doubled: string[] = []
  readonly #roll: Roll
  readonly #unreachable = new Set<string>()
  readonly #silentMs = new Map<string, number>()
  maxSilentMs = 0

  private constructor(store: Awaited<ReturnType<typeof openTestStore>>, roll: Roll) {
    const working = new Set<Promise<unknown>>()
    const track = <T>(work: Promise<T>): Promise<T> => {
      const tracked = work.finally(() => working.delete(tracked))
      working.add(tracked)
      return tracked
    }
    this.#roll = roll
    this.wire = new VirtualClock(1_000_000, async () => {
      while (working.size > 0) await Promise.allSettled(working)
    })
    const broker = new SplitBroker()
    const reaches = (from: SplitProcess, to: string): boolean => this.#isReached(from.name, to)
    const sends = (process: SplitProcess): void => this.#check(process)
    this.processes = names.map((name) => new SplitProcess(name, { store, wire: this.wire, broker, roll, track, reaches, sends }))
  }

  static async open(t: TestContext, roll: Roll): Promise<SplitHouse> {
    const house = new SplitHouse(await openTestStore(t, 'sqlite'), roll)
    for (const process of house.processes) process.start()
    await house.passes(1_000)
    for (const process of house.processes)
      for (let nth = 0; nth < callsOfEach; nth++) {
        const opening = process.open(`${process.name}${nth}`)
        await house.passes(200)
        await opening
      }
    return house
  }

  get calls(): string[] {
    return names.flatMap((name) => Array.from({ length: callsOfEach }, (_, nth) => `${name}${nth}`))
  }

  async passes(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.wire.advance(stepMs)
      this.#look()
    }
  }

  /** Breaks something of one process, or of all; returns how it is repaired. */
  fault(): () => void {
    const process = this.processes[this.#roll(names.length)] ?? assert.fail()
    const { links, bus, clock, name } = process
    const other = names[this.#roll(names.length)] ?? ''
    const busState = this.#roll(2) === 0 ? 'cut' : 'swallowed'
    const faults: Record<string, () => () => void> = {
      'no store': () => ((links.store = false), () => (links.store = true)),
      'no bus': () => (bus.become(busState), () => bus.become('well')),
      'no bus and no store': () => {
        links.store = false
        bus.become(busState)
        return () => ((links.store = true), bus.become('well'))
      },
      alone: () => {
        links.store = false
        bus.become(busState)
        this.#unreachable.add(name)
        return () => ((links.store = true), bus.become('well'), this.#unreachable.delete(name))
      },
      'no bus and no peers': () => {
        bus.become(busState)
        this.#unreachable.add(name)
        return () => (bus.become('well'), this.#unreachable.delete(name))
      },
      [`no way to ${other}`]: () => (this.#unreachable.add(name + other), () => this.#unreachable.delete(name + other)),
      'stalled wholly': () => ((links.stalled = 'all'), () => ((links.stalled = 'no'), clock.goOn())),
      'stalled in the main thread': () => ((links.stalled = 'main'), () => ((links.stalled = 'no'), clock.goOn())),
      'no store for all': () => {
        for (const each of this.processes) each.links.store = false
        return () => this.processes.forEach((each) => (each.links.store = true))
      },
      'no bus for all': () => {
        for (const each of this.processes) each.bus.become('cut')
        return () => this.processes.forEach((each) => each.bus.become('well'))
      },
    }
    const kinds = Object.keys(faults)
    const kind = kinds[this.#roll(kinds.length)] ?? ''
    this.#note(`${name}: ${kind}`)
    const repair = faults[kind]?.() ?? assert.fail()
    return () => {
      this.#note(`${name}: over: ${kind}`)
      repair()
    }
  }

  #note(text: string): void {
    this.history.push(`${(this.wire.elapsed() - 1_000_000) / 1000} s ${text}`)
  }

  #isReached(from: string, to: string): boolean {
    const there = this.processes.find(({ name }) => name === to)
    const cut =
      this.#unreachable.has(from) || this.#unreachable.has(to) || this.#unreachable.has(from + to) || this.#unreachable.has(to + from)
    return there?.links.stalled === 'no' && !cut
  }

  #check(process: SplitProcess): void {
    for (const callId of process.calls.keys()) {
      const senders = this.processes.filter((each) => each.sends(callId))
      if (senders.length > 1) {
        const text = `${callId}: ${senders.map(({ name }) => name).join(' and ')}`
        this.#note(text)
        this.doubled.push(text)
      }
    }
  }

  #look(): void {
    for (const process of this.processes) this.#check(process)
    const isWell = this.processes.some(({ links }) => links.store && links.bus === 'well' && links.stalled === 'no')
    for (const callId of this.calls) {
      const isSilent = isWell && !this.processes.some((process) => process.sends(callId))
      const silentMs = isSilent ? (this.#silentMs.get(callId) ?? 0) + stepMs : 0
      this.#silentMs.set(callId, silentMs)
      this.maxSilentMs = Math.max(this.maxSilentMs, silentMs)
    }
  }

  async close(): Promise<void> {
    const closing = Promise.all(this.processes.map((process) => process.close()))
    await this.passes(20_000)
    await closing
  }
}

const live = async (house: SplitHouse, roll: Roll): Promise<void> => {
  const repairs: { at: number; repair: () => void }[] = []
  const until = house.wire.elapsed() + faultyMs
  while (house.wire.elapsed() < until) {
    const now = house.wire.elapsed()
    for (const { repair } of repairs.filter(({ at }) => at <= now)) repair()
    repairs.splice(0, repairs.length, ...repairs.filter(({ at }) => at > now))
    if (repairs.length < 2 && roll(20) === 0) {
      const repair = house.fault()
      repairs.push({ at: now + (roll(2) === 0 ? 300 + roll(2_500) : 2_000 + roll(35_000)), repair })
    }
    await house.passes(stepMs)
  }
  for (const { repair } of repairs) repair()
  await house.passes(maxSilentMs + 5_000)
}

for (let seed = 1; seed <= runs; seed++)
  test(`has one sender of each call whatever breaks: ${seed}`, async (t) => {
    const roll = dice(seed)
    const house = await SplitHouse.open(t, roll)
    await live(house, roll)
    assert.deepEqual(house.doubled, [], house.history.join('\n'))
    assert.ok(house.maxSilentMs <= maxSilentMs, `${house.maxSilentMs} ms without a sender\n${house.history.join('\n')}`)
    for (const callId of house.calls)
      assert.equal(house.processes.filter((process) => process.sends(callId)).length, 1, `${callId}\n${house.history.join('\n')}`)
    t.diagnostic(`at most ${house.maxSilentMs} ms without a sender`)
    await house.close()
  })
