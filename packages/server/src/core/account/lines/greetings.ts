import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Greeting } from '#core/kernel/ports/store/line.ts'
import { greetingMaxBytes } from '@offhook/contract/v1/voicemails/voicemail-elements.ts'
import { decodeBase64, readPcmWav, WavRefused } from '#core/kernel/sound/pcm-wav.ts'

/** Maximum greetings; each takes up to 2 MiB in the database. */
const max = 20

/** Exactly one of a voicemail's greetings is active; without any, the default greeting plays. */
export const addGreeting = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { voicemail, alias, sound }: { voicemail: string; alias: string; sound: GreetingAudio },
): Promise<Greeting> => {
  await tables.accounts.lock(accountId) // prevents concurrent requests from both being the first, or from both taking the last allowed place
  const present = await tables.voicemails.greetings(accountId, voicemail)
  if (present.length >= max) throw new Problem('conflict', `A voicemail has at most ${max} greetings.`)
  const { audio, durationMs } = sound
  const active = present.length === 0
  const id = await tables.voicemails.insertGreeting(accountId, voicemail, { alias, audio, durationMs, active, at: clock.now() })
  return { id, alias, active, durationMs }
}

export const chooseGreeting = async (
  tables: Tables,
  accountId: string,
  { voicemail, id, active }: { voicemail: string; id: number; active: boolean },
): Promise<void> => {
  await tables.accounts.lock(accountId)
  const greeting = (await tables.voicemails.greetings(accountId, voicemail)).find((one) => one.id === id)
  if (!greeting) throw new Problem('greeting_not_found')
  if (greeting.active === active) return
  if (!active) throw new Problem('conflict', 'One greeting is always active; make another one active instead.')
  await tables.voicemails.activateGreeting(accountId, voicemail, id)
}

export const removeGreeting = async (tables: Tables, accountId: string, voicemail: string, id: number): Promise<void> => {
  await tables.accounts.lock(accountId)
  if (!(await tables.voicemails.removeGreeting(accountId, voicemail, id))) throw new Problem('greeting_not_found')
  const left = await tables.voicemails.greetings(accountId, voicemail)
  const latest = left.at(-1)
  if (latest && !left.some(({ active }) => active)) await tables.voicemails.activateGreeting(accountId, voicemail, latest.id)
}

interface GreetingAudio {
  /** The sound as a rebuilt WAV file in base64. */
  audio: string
  durationMs: number
}

const sampleRate = 8000
const bytesPerSample = 2

/** Parses an uploaded greeting. */
export const readGreeting = (base64Content: string): GreetingAudio => {
  try {
    const file = decodeBase64(base64Content)
    if (file.length > greetingMaxBytes) throw new WavRefused(`is ${file.length} bytes long; at most ${greetingMaxBytes} are accepted`)
    const { samples } = readPcmWav(file, { rates: [sampleRate] })
    return { audio: wavFile(samples).toString('base64'), durationMs: Math.round((samples.length / bytesPerSample / sampleRate) * 1000) }
  } catch (error) {
    throw error instanceof WavRefused ? Problem.field('base64Content', error.message) : error
  }
}

/** Keeps only the samples of the upload. */
const wavFile = (samples: Buffer): Buffer => {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20) // PCM
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * bytesPerSample, 28)
  header.writeUInt16LE(bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
