import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { HistoryEntry } from '../../../packages/server/src/core/ports/store/history.ts'
import { secondsOf } from '../../support/peers/tones.ts'
import { readWav } from '../../support/peers/wav.ts'
import type { Timeline } from './timeline.ts'
import type { Service } from './whole-service.ts'

/** What is to be found of a call when it is over. */
export interface Finished {
  seed: number
  callId: string
  /** Whose history has it, each with how long it lasted for them and with how many recordings. */
  sides: { account: string; talkedMs: number; recordings: number }[]
  /** Who is in the left channel of its recordings, and who in the right one. */
  channels: readonly { name: string; hz: number }[]
  timeline: Timeline
}

const slackSeconds = 0.35
/** Less than half of what the phones say: clicks of other tones, music and the spoken notice are weaker at one frequency. */
const audible = 0.1
/** A duration is in whole seconds, and the service knows a little later than the phones. */
const durationSlack = 1.5

/** One entry for each account, with the right length and the right sound. */
export const checkHistory = async ({ running, data }: Service, finished: readonly Finished[]): Promise<void> => {
  const accounts = new Set(finished.flatMap(({ sides }) => sides.map(({ account }) => account)))
  const entries = new Map<string, HistoryEntry>()
  for (const account of accounts) {
    const list = await running.parts.store.read.history.list(account, {}, { offset: 0, limit: 10_000 })
    for (const entry of list) {
      assert.ok(!entries.has(`${account} ${entry.sessionId}`), 'two entries of one call')
      entries.set(`${account} ${entry.sessionId}`, entry)
    }
  }
  for (const one of finished)
    for (const side of one.sides) {
      const entry = entries.get(`${side.account} ${one.callId}`)
      assert.ok(entry, `OFFHOOK_DICE=${one.seed}: it is not in the history`)
      entries.delete(`${side.account} ${one.callId}`)
      checkEntry(one, side, entry)
      const files = (entry.detail.recordings ?? []).map(({ id }) => join(data, 'recordings', fileOf(side.account, id)))
      for (const [place, file] of files.entries()) await checkRecording(one, side.account, place + 1, file)
    }
  assert.deepEqual([...entries.keys()], [], 'entries of calls that nobody made')
}

const fileOf = (account: string, id: string): string => (id.includes('/') ? id : join(account, `${id}.wav`))

const checkEntry = ({ seed }: Finished, side: Finished['sides'][number], { status, detail, type }: HistoryEntry): void => {
  const { duration = 0, callStatus, recordings = [] } = detail
  assert.deepEqual([type, status, callStatus, recordings.length], ['CALL', 'PICKUP', 'SUCCESS', side.recordings], `OFFHOOK_DICE=${seed}`)
  const off = Math.abs(duration - Math.max(1, side.talkedMs / 1000))
  assert.ok(off <= durationSlack, `OFFHOOK_DICE=${seed}: ${duration} s in the history, ${side.talkedMs} ms on the line`)
}

/** Each side is in its own channel, as long as it spoke, and nowhere else. */
const checkRecording = async ({ seed, timeline, channels }: Finished, account: string, number: number, file: string): Promise<void> => {
  const wav = await readWav(file)
  for (const [place, { name, hz }] of channels.entries()) {
    const { least, most } = timeline.spoken(account, number, name)
    const [own, other] = [wav.channels[place], wav.channels[1 - place]].map((samples) => secondsOf(samples ?? new Float32Array(), wav.rate, hz, audible))
    const where = `OFFHOOK_DICE=${seed}: ${name} in recording ${number} of ${account}`
    assert.ok(own !== undefined && own >= least - slackSeconds && own <= most + slackSeconds, `${where}: ${own} s, not ${least} to ${most}`)
    assert.equal(other, 0, `${where} is in the other channel`)
  }
}

/** No ports, no timers, no tasks, no money. */
export const checkNothingLeft = async ({ running, log, clock, audioPorts }: Service, accounts: readonly string[]): Promise<void> => {
  const since = performance.now()
  await running.drain(5_000)
  assert.ok(performance.now() - since < 500, 'there are calls left')
  assert.equal(audioPorts(), 0, 'ports are left')
  for (const account of accounts) assert.equal((await running.parts.store.read.balances.find(account))?.reserved, 0, 'money is reserved')
  await running.idle()
  await running.close()
  assert.equal(clock.waiting, 0, 'timers are left')
  assert.deepEqual(log.faults, [])
}
