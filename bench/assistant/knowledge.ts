import { mkdtemp, rm, stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { markdownParagraphs } from '#adapters/documents/text-paragraphs.ts'
import { indexParagraphs } from '#core/assistant/knowledge/index-paragraphs.ts'
import { lookUp } from '#core/assistant/knowledge/look-up.ts'
import { writeIndex } from '#core/assistant/knowledge/read-document.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import { readKnowledge } from '#test/knowledge/documents.ts'
import { german } from '#test/knowledge/questions.ts'
import { percentile, rounded } from '../shared/percentiles.ts'

/**
 * A flow with 5,000 passages in 50 documents: cost of indexing, how long indexing blocks other work, time per query (p99 at most 10 ms), and
 * database size. The text is a shuffle of the German test documents, so word frequencies match real documents, plus some words that occur in one
 * document only.
 */
const documents = 50
const passagesEach = 100
const wordsEach = 70
const accountId = '1000001'
const flowId = 'flow'

const folder = await mkdtemp(join(tmpdir(), 'offhook-bench-'))
const file = join(folder, 'offhook.db')
const store = await sqliteStore(file)
const reader = { breathe: () => nextTurn() }

/** Seeded, so every run uses the same numbers. */
let seed = 1
const chance = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}

const names = ['laden', 'praxis', 'rathaus', 'handwerk']
const words = (await Promise.all(names.map((name) => readKnowledge('de', name)))).join(' ').split(/\s+/)
const word = (nth: number): string => (chance(12) === 0 ? `wort${nth}x${chance(400).toString(36)}` : (words[chance(words.length)] ?? ''))
const passage = (nth: number, at: number): string =>
  `## Abschnitt ${at}\n\n${Array.from({ length: wordsEach }, () => word(nth)).join(' ')}.`

const learn = async (nth: number): Promise<number> => {
  const text = Array.from({ length: passagesEach }, (_, at) => passage(nth, at)).join('\n\n')
  const about = {
    id: `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`,
    accountId,
    flowId,
    name: `Document ${nth}`,
    kind: 'markdown',
  } as const
  const added = { ...about, url: undefined, state: 'PENDING', problem: undefined, bytes: text.length, passages: 0, addedAt: nth } as const
  await store.write(({ knowledge }) => knowledge.insert(added))
  const lengths = await writeIndex({ store, reader }, about, indexParagraphs(markdownParagraphs(text), 10_000))
  await store.write(({ knowledge }) => knowledge.change(about.id, { state: 'READY', lengths }))
  return lengths.length
}

const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const cpuBefore = process.cpuUsage()
const startedAt = performance.now()
let passages = 0
for (let nth = 0; nth < documents; nth++) passages += await learn(nth)
const indexMs = performance.now() - startedAt
const indexCpuMs = cpuMs(cpuBefore)
delay.disable()

const parts = { store, reader, outbound: {} as OutboundHttp, embeddings: () => Promise.resolve(undefined), onProblem: () => {} }
const times: number[] = []
const cpuTimes: number[] = []
for (let round = 0; round < 4; round++)
  for (const [question] of german) {
    const cpu = process.cpuUsage()
    const asked = performance.now()
    await lookUp(parts, { accountId, flowId }, question, 4)
    if (round === 0) continue
    times.push(performance.now() - asked)
    cpuTimes.push(cpuMs(cpu))
  }
await store.close()
const { size } = await stat(file)
await rm(folder, { recursive: true, force: true })
console.log(
  JSON.stringify({
    bench: 'knowledge',
    passages,
    indexMsPerPassage: rounded(indexMs / passages, 2),
    indexCpuMsPerPassage: rounded(indexCpuMs / passages, 2),
    longestHoldUpMs: rounded(delay.max / 1e6, 1),
    questionMs: { p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
    questionCpuMs: { p50: percentile(cpuTimes, 0.5), p99: percentile(cpuTimes, 0.99) },
    databaseMegabytes: rounded(size / 1e6, 1),
  }),
)
