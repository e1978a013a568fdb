import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openRecogniser } from '#test/speech/embedded-speech.ts'
import { plainWords } from '#adapters/speech/callers/word-errors.ts'
import { overTheLine } from './noises.ts'
import { listPrompts, readPrompt } from './prompts.ts'
import { joined, silence } from './recording.ts'
import { trimmed } from './sound-file.ts'
import { kindOf, type Cut } from './turn-set.ts'

/**
 * Finds places between two words where fluent sentences can be cut: the quietest ones, if the recogniser hears exactly the beginning of the
 * sentence up to there. Writes them to a file, so that every recogniser is measured with the same cuts. `node bench/conversation/sets/find-cuts.ts`.
 */
const closest = 1_600
const maxAttempts = 4
const maxCuts = 2
const minWords = 6

const closing: (() => unknown)[] = []
const hear = await openRecogniser({ after: (close) => void closing.push(close) })
const wordsUntil = async (sound: Int16Array): Promise<string[]> => {
  const line = overTheLine(joined([silence(500), sound, silence(600)]))
  return plainWords(
    await hear(
      Float32Array.from(line, (value) => value / 32_768),
      'en',
    ),
    'en',
  )
}

const quietestFirst = (sound: Int16Array): number[] => {
  const places: { at: number; energy: number }[] = []
  for (let at = Math.floor(sound.length * 0.25); at < sound.length * 0.8; at += 80)
    places.push({ at: at + 200, energy: sound.subarray(at, at + 400).reduce((sum, value) => sum + value ** 2, 0) })
  return places.toSorted((a, b) => a.energy - b.energy).map(({ at }) => at)
}

/** True for the beginning of the text, but not at the end of one of its sentences: a split there is correct. */
const isInside = (heard: readonly string[], text: string): boolean => {
  const said = plainWords(text, 'en')
  if (heard.length < 2 || heard.length >= said.length || heard.some((word, at) => word !== said[at])) return false
  return !/[.?!]$/.test(text.split(/\s+/).slice(0, heard.length).join(' '))
}

const cutsIn = async (sound: Int16Array, text: string): Promise<Cut[]> => {
  const tried: number[] = []
  const found: Cut[] = []
  for (const at of quietestFirst(sound)) {
    if (tried.length === maxAttempts || found.length === maxCuts) break
    if (tried.some((other) => Math.abs(other - at) < closest)) continue
    tried.push(at)
    const heard = await wordsUntil(sound.subarray(0, at))
    if (isInside(heard, text)) found.push({ at, upTo: heard.join(' ') })
  }
  return found
}

const all: Record<string, Cut[]> = {}
for (const prompt of await listPrompts('en')) {
  const kind = kindOf(prompt)
  if (kind === undefined || kind === 'open' || plainWords(prompt.text, 'en').length < minWords) continue
  const found = await cutsIn(trimmed((await readPrompt('en', prompt)).samples), prompt.text)
  if (found.length > 0) all[prompt.name] = found
}
await writeFile(join(import.meta.dirname, 'cuts.json'), `${JSON.stringify(all, undefined, 1)}\n`)
for (const close of closing) await close()
