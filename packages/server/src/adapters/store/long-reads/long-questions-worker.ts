import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { runInBackground, reportMemory } from '#media/thread/thread.ts'
import type { Question } from '../sqlite/question.ts'
import type { Answer, LongQuestionsSettings, NamedRead } from './long-questions.ts'

const { file, inBackground } = workerData as LongQuestionsSettings
const database = new DatabaseSync(file, { timeout: 5_000 })
database.exec('pragma query_only = on') // still allows checkpoints

/** Loaded on first use: most threads only count or run checkpoints. */
const read = async ({ name, input }: NamedRead): Promise<unknown> => (await import('./named-reads.ts')).namedRead(database, name, input)

const answer = async (question: Question | NamedRead): Promise<Answer> => {
  try {
    if ('name' in question) return { result: await read(question) }
    return { result: database.prepare(question.sql).all(...question.parameters) }
  } catch (error) {
    return { error: error as Error }
  }
}

/** Transfers text as bytes instead of copying it. */
const bytesOf = ({ result }: { result?: unknown }): ArrayBuffer[] =>
  typeof result === 'object' && result !== null && 'text' in result && result.text instanceof Uint8Array
    ? [result.text.buffer as ArrayBuffer]
    : []

let last = Promise.resolve()
reportMemory()
if (inBackground) runInBackground()
parentPort?.on('message', (question: Question | NamedRead) => {
  last = last.then(async () => {
    const said = await answer(question)
    parentPort?.postMessage(said, 'error' in said ? [] : bytesOf(said))
  })
})
