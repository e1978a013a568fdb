import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { markdownParagraphs } from '#adapters/documents/text-paragraphs.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { readKnowledge } from '#test/knowledge/documents.ts'
import { english, german, type Question } from '#test/knowledge/questions.ts'
import { openTestStore } from '#test/store/databases.ts'
import { indexParagraphs } from './index-paragraphs.ts'
import { lookUp } from './look-up.ts'
import { writeIndex } from './read-document.ts'

const accountId = '1000001'
const reader = { breathe: () => nextTurn() }
const outbound = {} as OutboundHttp
const embeddings = () => Promise.resolve(undefined)

const learn = async (store: Store, flowId: string, language: string, name: string): Promise<number> => {
  const text = await readKnowledge(language, name)
  const id = `${language}-${name}`
  const about = { id, accountId, flowId, name, kind: 'markdown', url: undefined, problem: undefined, addedAt: 0 } as const
  await store.write(({ knowledge }) => knowledge.insert({ ...about, state: 'PENDING', bytes: text.length, passages: 0 }))
  const lengths = await writeIndex({ store, reader }, about, indexParagraphs(markdownParagraphs(text), 1_000))
  await store.write(({ knowledge }) => knowledge.change(id, { state: 'READY', lengths }))
  return lengths.length
}

/** All documents of a language are in one flow. That is harder than a customer's flow, which covers one trade. */
const cases: readonly [string, readonly string[], readonly Question[]][] = [
  ['de', ['laden', 'praxis', 'rathaus', 'handwerk'], german],
  ['en', ['shop', 'clinic', 'town-hall', 'craftsman'], english],
]

for (const [language, names, questions] of cases)
  test(`${language}: finds the answer to 90 % of caller questions in four passages`, async (t) => {
    const store = await openTestStore(t, 'sqlite')
    let passages = 0
    for (const name of names) passages += await learn(store, language, language, name)
    assert.ok(passages >= 40 && questions.length >= 40)
    const missed: string[] = []
    for (const [question, document, heading] of questions) {
      const parts = { store, reader, outbound, embeddings, onProblem: () => {} }
      const found = await lookUp(parts, { accountId, flowId: language }, question, 4)
      if (!found.some((one) => one.document === document && one.heading === heading)) missed.push(question)
    }
    assert.ok(missed.length <= questions.length / 10, `of ${questions.length} not found: ${missed.join(' ')}`)
  })
