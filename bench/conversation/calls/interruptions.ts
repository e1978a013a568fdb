import { setTimeout as sleep } from 'node:timers/promises'
import type { InterruptionOutcome } from '../scoring/interruptions.ts'
import { silence, type Recording } from '../sets/recording.ts'
import type { Caller } from './caller.ts'

const soundsTimeoutMs = 8_000
const intoSpeechMs = 1_200
const afterMs = 2_500
/** Tolerance in milliseconds: the endpoint's event may come a little before or after the last packet. */
const notifiedAfterMs = 200

/** One call per interruption: the assistant speaks for half a minute, and the caller speaks once during it. */
export const interruptOnce = async (caller: Caller, recording: Recording): Promise<InterruptionOutcome> => {
  const from = performance.now()
  await caller.dial()
  await caller.until(() => caller.phone.firstSounds(from).audibleAt !== undefined, soundsTimeoutMs)
  await sleep(intoSpeechMs)
  const { first } = await caller.say(recording.samples)
  await sleep(afterMs)
  const ended = caller
    .onEvent('assistant_speech_ended')
    .find(({ at, body }) => at >= first && body.type === 'assistant_speech_ended' && !body.completed)
  const lastSound = ended && caller.phone.lastSound(first - 100, ended.at + notifiedAfterMs)
  const outcome = {
    hasWords: recording.text !== '',
    stoppedAfterMs: lastSound === undefined ? undefined : lastSound - first,
    duckedAfterMs: undefined,
    told: caller.onEvent('user_speak').length > 0,
  }
  await caller.hangUp()
  return outcome
}

/** The caller is silent, but the phone echoes received sound. Returns the number of false stops of the assistant. */
export const listenWithEcho = async (caller: Caller, delayMs: number, seconds: number): Promise<number> => {
  await caller.dial({ echo: { delayMs, gain: 0.1 } })
  await caller.say(silence(20))
  await sleep(seconds * 1000)
  const stops = caller
    .onEvent('assistant_speech_ended')
    .filter(({ body }) => body.type === 'assistant_speech_ended' && !body.completed).length
  await caller.hangUp()
  return stops
}
