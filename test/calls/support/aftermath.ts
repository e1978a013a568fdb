import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { HistoryEntry } from '#core/kernel/ports/store/call/history.ts'
import { secondsOf } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'
import type { Fleet, Person } from './fleet.ts'
import type { Span, Timeline } from './timeline.ts'
import type { Service } from './whole-service.ts'

/** What is to be found of a call when it is over. */
export interface Finished {
  seed: number
  callId: string
  sides: Side[]
  /** No third party was called into it: then it is known how long it was, and what is in its recordings. */
  simple: { seconds: Span; pair: readonly Person[]; timeline: Timeline } | undefined
}

/** One account whose history has it. */
interface Side {
  account: string
  /** Its phones rang, and that was all. */
  missed: boolean
  /** The call was over in the same moment as they were to ring, so there may be nothing about it. */
  doubtful: boolean
  /** How many there may be. */
  recordings: readonly number[]
}

const slackSeconds = 0.35
/** Of what a party said: what came too late on a busy machine is missing. */
const minShare = 0.6
/** Sockets are closed by the threads that have them. */
const portsTimeoutMs = 30_000
/** A duration is in whole seconds. */
const durationSlack = 1.5
/** Less than half of what the phones say: clicks of other tones, music and the spoken notice are weaker at one frequency. */
const audible = 0.1

/** One entry for each account, with the right length and the right sound. */
export const checkHistory = async ({ running, data }: Service, finished: readonly Finished[]): Promise<void> => {
  const accounts = new Set(finished.flatMap(({ sides }) => sides.map(({ account }) => account)))
  const entries = new Map<string, HistoryEntry>()
  for (const account of accounts) {
    for (const entry of await running.deps.store.read.history.list(account, {}, { offset: 0, limit: 10_000 })) {
      assert.ok(!entries.has(`${account} ${entry.sessionId}`), 'two entries of one call')
      entries.set(`${account} ${entry.sessionId}`, entry)
    }
  }
  for (const call of finished)
    for (const side of call.sides) {
      const entry = entries.get(`${side.account} ${call.callId}`)
      entries.delete(`${side.account} ${call.callId}`)
      if (side.doubtful) continue
      assert.ok(entry, `OFFHOOK_DICE=${call.seed}: it is not in the history`)
      checkEntry(call, side, entry)
      const files = (entry.detail.recordings ?? []).map(({ id }) => join(data, 'recordings', side.account, `${id}.wav`))
      for (const [place, file] of files.entries()) await checkRecording(call, side.account, place + 1, file)
    }
  assert.deepEqual([...entries.keys()], [], 'entries of calls that were not made')
}

const checkEntry = ({ seed, simple }: Finished, { missed, recordings }: Side, { status, detail, type, direction }: HistoryEntry): void => {
  const where = `OFFHOOK_DICE=${seed}: ${JSON.stringify({ type, status, direction, detail })}`
  assert.equal(type, 'CALL', where)
  assert.equal(direction.startsWith('MISSED'), missed, where)
  assert.ok(recordings.includes(detail.recordings?.length ?? 0), where)
  if (missed) return
  assert.deepEqual([status, detail.callStatus], ['PICKUP', 'SUCCESS'], where)
  if (!simple) return
  const { duration = 0 } = detail
  const { min, most: max } = simple.seconds
  const fits = duration >= min - durationSlack && duration <= Math.max(1, max) + durationSlack
  assert.ok(fits, `${where}, but ${min} to ${max} s on the line`)
}

/** The account's own phone is left, the other one right, each as long as it spoke; when both are its own, the caller is left. */
const checkRecording = async ({ seed, simple }: Finished, account: string, number: number, file: string): Promise<void> => {
  if (!simple) return
  const wav = await readWav(file)
  const left = simple.pair.find(({ accountId }) => accountId === account)
  for (const person of simple.pair) {
    const { min, most: max } = simple.timeline.spoken(account, number, person.name)
    const { hz } = person.phone.voice
    const sides = person === left ? wav.channels : wav.channels.toReversed()
    const [own, other] = sides.map((samples) => secondsOf(samples, wav.rate, hz, audible))
    const where = `OFFHOOK_DICE=${seed}: ${person.name} in recording ${number} of ${account}`
    const fits = own !== undefined && own >= minShare * min - slackSeconds && own <= max + slackSeconds
    assert.ok(fits, `${where}: ${own} s, not ${min} to ${max}`)
    assert.equal(other, 0, `${where} is in the other channel`)
  }
}

/** No ports, no timers, no tasks, no money. */
export const checkNothingLeft = async ({ service, pacer }: Fleet, accounts: readonly string[]): Promise<void> => {
  const { running, log, clock, audioPorts } = service
  const since = performance.now()
  await running.drain(60_000)
  assert.ok(performance.now() - since < 30_000, 'there are calls left')
  assert.ok(await pacer.until(() => audioPorts() === 0, portsTimeoutMs), `${audioPorts()} ports are left`)
  for (const account of accounts) assert.equal((await running.deps.store.read.balances.find(account))?.reserved, 0, 'money is reserved')
  await running.idle()
  await running.close()
  assert.equal(clock.waiting, 0, 'timers are left')
  assert.deepEqual(log.faults, [])
}
