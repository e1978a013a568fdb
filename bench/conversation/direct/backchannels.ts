import { atLeast, atMost, type Row } from '../report/rows.ts'
import type { Recording } from '../sets/recording.ts'
import type { Listener } from './listener.ts'
import { sequentially, turnsIn } from './measures.ts'
import { Rehearsal, type Setting } from './rehearsal.ts'
import { rehearseInterruption } from './rehearse.ts'
import { synthesised } from './synthesised.ts'

/** Back-channels; synthesised, because no recordings of them exist. */
const words = [
  ['Mhm', 'en'],
  ['Yeah', 'en'],
  ['Okay', 'en'],
  ['Ja', 'de'],
  ['Genau', 'de'],
] as const
const speeds = [0.8, 1, 1.2]

/** The last clause is playing when the caller speaks. The scripted voice takes 50 ms per letter. */
const question = {
  en: 'We could offer you Thursday. Would that suit you very well?',
  de: 'Donnerstag wäre noch frei. Würde Ihnen das denn gut passen?',
}
const intoQuestionMs = 2_300
const afterMs = 2_500

export const backchannels = async (listener: Listener, setting: Setting) => {
  const all = await sequentially(
    words.flatMap(([text, language]) => speeds.map((speed) => ({ text, language, speed }))),
    async ({ text, language, speed }) => ({ language, recording: await synthesised(listener, text, language, speed) }),
  )
  const stops = await sequentially(all, async ({ language, recording }) => {
    const { told: notified } = await rehearseInterruption(listener, { ...setting, language }, recording)
    return notified.some((one) => one.told === 'spoke' && !one.completed)
  })
  const answers = await sequentially(all, ({ language, recording }) =>
    answersQuestion(listener, { ...setting, language }, recording, question[language]),
  )
  return { said: all.length, stops: stops.filter(Boolean).length, answers: answers.filter(Boolean).length }
}

const answersQuestion = async (listener: Listener, setting: Setting, { samples }: Recording, text: string): Promise<boolean> => {
  const rehearsal = new Rehearsal(listener, setting)
  rehearsal.say(text)
  await rehearsal.silent(intoQuestionMs)
  await rehearsal.hear(samples)
  await rehearsal.silent(afterMs)
  const notified = turnsIn(rehearsal).length > 0
  await rehearsal.close()
  return notified
}

export const backchannelRows = ({ said, stops, answers }: Awaited<ReturnType<typeof backchannels>>): Row[] => [
  atMost(`“mhm”, “yeah”, “okay”, “ja”, “genau” of our own voice over a statement (${said}): stopped the assistant`, stops, 0, String),
  atLeast('the same over the end of a question: told as the answer', answers, said),
]
