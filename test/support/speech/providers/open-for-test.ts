import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { openProviders } from '#adapters/speech/providers/open-providers.ts'
import { readSettings } from '#settings/config.ts'
import type { SpeechProvider, Stt, Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { ProviderServer } from './provider-server.ts'
import { sayInTones } from './tone-words.ts'

export interface ProvidersForTest {
  server: ProviderServer
  clock: VirtualClock
  stt: (name: SpeechProvider) => Stt
  tts: (name: SpeechProvider) => Tts
}

/** The real adapters against one local vendor. After the test no timer and no connection may be left. */
export const openForTest = (
  t: TestContext,
  server: ProviderServer,
  settings: (server: ProviderServer) => Record<string, string>,
): ProvidersForTest => {
  const clock = new VirtualClock()
  const providers = openProviders(readSettings(settings(server)), clock)
  t.after(async () => {
    await providers.close()
    assert.equal(clock.pending(), 0, 'a timer was left behind')
    await server.close()
  })
  return {
    server,
    clock,
    stt: (name) => providers.stts[name] ?? assert.fail(`${name} does not hear`),
    tts: (name) => providers.ttss[name] ?? assert.fail(`${name} does not speak`),
  }
}

export const soundOf = async (tts: Tts, utterance: Utterance, signal = new AbortController().signal): Promise<Int16Array> => {
  const pieces: Int16Array[] = []
  for await (const piece of tts.synthesize(utterance, signal)) pieces.push(piece)
  return joined(pieces)
}

export const joined = (pieces: readonly Int16Array[]): Int16Array => {
  const whole = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** A second of silence, then these words. */
export const speakOnTrack = (text: string, track = SoundTrack.of(30)): { track: SoundTrack; from: number; to: number } => {
  track.write(new Int16Array(8000))
  const from = track.length
  track.write(sayInTones(text, 8000))
  return { track, from, to: track.length }
}
