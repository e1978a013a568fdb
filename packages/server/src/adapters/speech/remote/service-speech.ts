import { randomUUID } from 'node:crypto'
import { SpeechUnavailable, type ExpectedAnswer, type Stt, type SttOptions, type SttStream, type Tts } from '#core/kernel/ports/speech.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { stoppableWait } from '#core/kernel/work/waiting.ts'
import type { Urgency } from '../server/protocol.ts'
import { speechRate } from './speech-server.ts'
import { noServer, type SpeechServers } from './speech-servers.ts'

/** Recognition by speech services. Each request has the whole sound of the utterance, so another server can always start over. */
export const serviceStt = (servers: SpeechServers): Stt => ({
  name: 'service',
  hears: () => true,
  open: (track, options) => openStream(servers, track, options),
})

interface Asked {
  urgency: Urgency | undefined
  expected?: ExpectedAnswer | undefined
}

const openStream = (servers: SpeechServers, track: SoundTrack, options: SttOptions): SttStream => {
  const closed = new AbortController()
  const caller = randomUUID()
  const ask = async (from: number, to: number, signal: AbortSignal, { urgency, expected }: Asked) => {
    const wanted = AbortSignal.any([signal, closed.signal])
    await stoppableWait(track.reaches(to), wanted)
    const sound = track.read(from, to)
    if (sound.length === 0) return { text: '' }
    return servers.ask(
      (server, stop) => server.transcribe({ sound, options, urgency, expected, caller }, stop),
      wanted,
      urgency === undefined,
    )
  }
  return {
    transcribe: async (from, to, signal, expected) =>
      (await ask(from, to, signal, { urgency: options.patient && 'patient', expected })) ?? { text: '' },
    glance: (from, to, signal) => ask(from, to, signal, { urgency: 'glance' }),
    close: () => closed.abort(new Error('Closed')),
  }
}

/** Voices of speech services. When a server fails in the middle of a sentence, another one makes it again, and continues at the same time of it. */
export const serviceTts = (servers: SpeechServers, voices: NonNullable<Tts['voices']>): Tts => ({
  name: 'service',
  rate: speechRate,
  ssml: false,
  speaks: () => true,
  voices,
  async *synthesize(utterance, signal) {
    if (signal.aborted || utterance.text.trim() === '') return
    let failure: unknown = noServer()
    let given = 0
    for (const server of servers.for('speaking')) {
      let made = 0
      try {
        for await (const samples of server.speak(utterance, signal)) {
          const fresh = samples.subarray(Math.max(0, given - made))
          made += samples.length
          given += fresh.length
          if (fresh.length > 0) yield fresh
        }
        servers.answered()
        return
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof SpeechUnavailable)) throw error
        failure = error
      }
    }
    servers.failed(failure)
    throw failure
  },
})
