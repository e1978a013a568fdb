import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { reportMemory } from '#media/thread/thread.ts'
import type { Answer, Question } from './long-questions.ts'

const { file } = workerData as { file: string }
const database = new DatabaseSync(file, { timeout: 5_000 })
database.exec('pragma query_only = on') // checkpoints are allowed with it

const answer = ({ sql, parameters }: Question): Answer => {
  try {
    return { rows: database.prepare(sql).all(...parameters) }
  } catch (error) {
    return { error: error as Error }
  }
}

reportMemory()
parentPort?.on('message', (question: Question) => parentPort?.postMessage(answer(question), []))
