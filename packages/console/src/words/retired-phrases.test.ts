import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const sources = join(import.meta.dirname, '..')

/** Phrases that read like a translation. Their replacements are in the text files; a new text must not bring them back. */
const retired = [
  'Can be spent',
  'under way',
  'Waits for you',
  'Nobody is told',
  'Lead a number',
  'Lead nowhere',
  'lead here',
  'Leads to',
  'stand here',
  'stands here',
  'The flow is there',
  'I have kept it',
  'What is built in',
  'As usual',
  'Say it in writing',
  'Webhook instead',
  'Not in the first',
  'Patience',
  'Wished date',
  'resent carrier',
  'Take over an address',
  'Talked',
  '95 of 100',
  'Put forward',
  'until there was no hope',
  'What happens',
  'You may not see',
  'To whom',
  'Whom you',
  'omebody',
  'verybody',
  'Geheimnis',
  'Führe ',
  'Führt zu',
  'Zustellungen',
  'Unzustellbar',
  'Fassung',
  'Zustand',
  'Einzelheiten',
  'Derweil',
  'Wie sonst',
]

/** Quoted text, without identifiers. */
const said = (source: string): string[] => source.match(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? []

test('no console text uses a retired phrase', () => {
  const files = globSync(['**/*text.ts', '**/*words.ts', '**/*-pages.ts', 'shell/menu/menu.ts'], { cwd: sources })
  assert.ok(files.length > 80, 'the texts were found')
  const found = files.flatMap((file) =>
    said(readFileSync(join(sources, file), 'utf8')).flatMap((words) =>
      retired.filter((phrase) => words.includes(phrase)).map((phrase) => `${file}: ${phrase}`),
    ),
  )
  assert.deepEqual(found, [])
})
