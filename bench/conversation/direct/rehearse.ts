import { utteranceOf } from '../../assistant/talking-phone.ts'
import { sampleRate, type Recording } from '../sets/recording.ts'
import type { Listener } from './listener.ts'
import { Rehearsal, type Rehearsed, type Setting } from './rehearsal.ts'

/** Silence before and after the recording, in milliseconds. */
const beforeMs = 500
const afterMs = 3_200

const msOf = (samples: number): number => (samples * 1000) / sampleRate

/** Plays one recording while the assistant is silent. */
export const rehearse = async (listener: Listener, setting: Setting, recording: Recording): Promise<Rehearsed> => {
  const rehearsal = new Rehearsal(listener, setting)
  if (setting.speak) {
    rehearsal.say('And your number?', setting.speak)
    await rehearsal.silent(2_000)
  }
  await rehearsal.silent(beforeMs)
  return finish(rehearsal, recording)
}

/** About twenty seconds of a statement. */
const speech =
  'The office is open from nine to five on all days but Sunday, and you will find us on the second floor behind the library. ' +
  'There is a place for bicycles in the yard, and the bus stops right before the door. ' +
  'The next appointment would be on Thursday in the morning, with the colleague who has seen you before. ' +
  'Bring the letter with you that came last week, and the card of your insurance.'

/** Plays one recording while the assistant speaks. */
export const rehearseInterruption = async (listener: Listener, setting: Setting, recording: Recording): Promise<Rehearsed> => {
  const rehearsal = new Rehearsal(listener, setting)
  rehearsal.say(speech, setting.speak)
  await rehearsal.silent(2_000)
  return finish(rehearsal, recording)
}

const finish = async (rehearsal: Rehearsal, recording: Recording): Promise<Rehearsed> => {
  const from = rehearsal.now
  const { firstVoiced, lastVoiced } = utteranceOf(recording.samples)
  await rehearsal.hear(recording.samples)
  await rehearsal.silent(afterMs)
  const notified = [...rehearsal.told]
  await rehearsal.close()
  return { recording, voice: { from: from + msOf(firstVoiced), to: from + msOf(lastVoiced) }, told: notified, duckedAt: rehearsal.duckedAt }
}
