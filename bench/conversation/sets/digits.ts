import { listPrompts, readPrompt } from './prompts.ts'
import { joined, silence, type Recording } from './recording.ts'
import { trimmed } from './sound-file.ts'

const names = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
/** Milliseconds between the digits of a group. */
const insideMs = 120

/** The ten digits as separate recordings of the English prompts. */
export const readDigits = async (): Promise<Recording[]> => {
  const prompts = new Map((await listPrompts('en')).map((prompt) => [prompt.name, prompt]))
  return Promise.all(
    names.map(async (word, digit) => {
      const prompt = prompts.get(`digits/${digit}`) ?? { name: `digits/${digit}`, text: word }
      const recording = await readPrompt('en', prompt)
      return { ...recording, text: word, samples: trimmed(recording.samples) }
    }),
  )
}

/** Ten numbers of six digits, said in groups of two or three with a pause in between. `length`: of those, only the first digits. */
export const readDictatedNumbers = async (pauseMs: number, length = 6): Promise<Recording[]> => {
  const digits = await readDigits()
  return Array.from({ length: 10 }, (_, nth) => {
    const number = Array.from({ length }, (_digit, at) => digits[(nth * 7 + at * (nth % 2 === 0 ? 3 : 7)) % 10]!)
    const size = nth % 2 === 0 ? 2 : 3
    const parts = number.flatMap(({ samples }, at) => {
      const gap = at === number.length - 1 ? 0 : (at + 1) % size === 0 ? pauseMs : insideMs
      return [samples, silence(gap)]
    })
    const text = number.map((digit) => digit.text).join(' ')
    return { name: `${text}, groups of ${size}`, language: 'en', text, samples: joined(parts) }
  })
}
