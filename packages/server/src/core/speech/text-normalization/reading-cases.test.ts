import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readSpeech } from '../ssml/read-speech.ts'
import { spokenText } from './spoken-text.ts'

interface Case {
  topic: string
  language: string
  written: string
  spoken: string
}

/** Lines `written → spoken` under headings `# topic`, or `# topic (en-GB)` for a language other than the table's. */
const readTable = (name: string, language: string): Case[] => {
  const cases: Case[] = []
  let topic = { topic: '', language }
  for (const line of readFileSync(new URL(`cases/${name}.txt`, import.meta.url), 'utf8').split('\n')) {
    const heading = /^# ([^(]+?)(?: \((\S+)\))?$/.exec(line)
    if (heading) topic = { topic: heading[1] ?? '', language: heading[2] ?? language }
    const [written, spoken] = line.split(' → ')
    if (written !== undefined && spoken !== undefined) cases.push({ ...topic, written, spoken })
  }
  return cases
}

/** Reads the pieces of a speech in order. */
const read = (written: string, language: string): string =>
  readSpeech({ text: written, language })
    .script.flatMap((part) => (part.kind === 'text' ? [spokenText(part.text, part.language)] : []))
    .join(' ')

for (const [name, language, least] of [
  ['english', 'en-US', 500],
  ['german', 'de-DE', 500],
  ['french', 'fr-FR', 25],
  ['spanish', 'es-ES', 25],
  ['italian', 'it-IT', 25],
] as const) {
  test(`${name}: normalises every case of the table`, () => {
    const cases = readTable(name, language)
    assert.ok(cases.length >= least)
    const wrong = cases.flatMap((one) => {
      const got = read(one.written, one.language)
      return got === one.spoken ? [] : [`${one.topic}: ${one.written}\n    wanted ${one.spoken}\n    got    ${got}`]
    })
    assert.equal(wrong.length, 0, `${wrong.length} of ${cases.length} are read wrong:\n${wrong.join('\n')}`)
  })
}
