import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import { secondsOf } from '#test/sound/tones.ts'
import { readWav } from '#test/sound/wav.ts'
import type { Fleet, Person } from './fleet.ts'
import type { Span, Timeline } from './timeline.ts'
import type { Service } from './whole-service.ts'

/** Expected records of an ended call. */
export interface Finished {
  seed: number
  callId: string
  sides: Side[]
  /** Set if no third party joined: then the duration and the content of its recordings are known. */
  simple: { seconds: Span; pair: readonly Person[]; timeline: Timeline } | undefined
}

/** One account with the call in its history. */
interface Side {
  account: string
  /** Its phones only rang. */
  missed: boolean
  /** The call ended at the moment they were to ring, so there may be no entry. */
  doubtful: boolean
  /** Allowed numbers of recordings. */
  recordings: readonly number[]
}

const slackSeconds = 0.35
/** Minimum share of a party's sound: packets that came late on a busy machine are missing. */
const minShare = 0.6
/** Sockets are closed by their threads. */
const portsTimeoutMs = 30_000
/** Durations are whole seconds. */
const durationSlack = 1.5
/** Less than half of a phone's level: clicks of other tones, music and the spoken notice are weaker at one frequency. */
const audible = 0.1

/** Expects one entry per account, with the right duration and sound. */
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

/** The account's own phone is left, the other one right, each for as long as it spoke; if both are its own, the caller is left. */
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

/** Asserts that no ports, timers, tasks or reservations remain. */
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
