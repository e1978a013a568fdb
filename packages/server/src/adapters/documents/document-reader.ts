import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  DocumentUnreadable,
  ReaderDied,
  type DocumentInput,
  type DocumentReader,
  type ReadPassage,
  type ReadTerm,
} from '#core/kernel/ports/files.ts'
import { readLines } from './document-lines.ts'

const program = fileURLToPath(new URL(`./document-child${extname(import.meta.filename)}`, import.meta.url))
const heapMegabytes = 512

interface Limits {
  seconds: number
  cpuSeconds: number
  memoryBytes: number
  memory: 'resident'
  pageSeconds: { first: number; further: number }
}

/** Wall time includes the time in which the service writes the index, so it exceeds the CPU limit. */
const limits: Limits = {
  seconds: 1_800,
  cpuSeconds: 120,
  memoryBytes: 1024 * 1024 * 1024,
  memory: 'resident',
  pageSeconds: { first: 15, further: 5 },
}

interface ChildEnd {
  code: number | undefined
  /** A limit on time, CPU or memory ended it. */
  limited: boolean
  complaint: string
}

/** Runs a program on untrusted input, and ends it when it exceeds its limits; see `adapters/fax/limited-child.ts`. */
export type StartLimited = (
  command: string,
  args: readonly string[],
  limits: Limits,
) => { output: Readable; ended: Promise<ChildEnd>; paged(): void; stop(): void }

/** Every kind of document is read in a separate process: a thread that runs out of memory can end the service. */
export const documentReader = ({ startLimited }: { startLimited: StartLimited }): DocumentReader => ({
  async *read(input) {
    const folder = await mkdtemp(join(tmpdir(), 'offhook-knowledge-'))
    try {
      const path = join(folder, 'document')
      await pipeline(Readable.from(input.content), createWriteStream(path))
      yield* readInChild(path, input, startLimited)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },

  breathe: () => nextTurn(),
})

async function* readInChild(
  path: string,
  { kind, maxPassages, signal }: DocumentInput,
  startLimited: StartLimited,
): AsyncGenerator<ReadPassage | ReadTerm> {
  const may = ['--permission', '--allow-addons', '--allow-fs-read=*', '--no-warnings']
  const args = [...may, `--max-old-space-size=${heapMegabytes}`, program, kind, path, String(maxPassages)]
  signal.throwIfAborted()
  const child = startLimited(process.execPath, args, limits)
  const stop = (): void => child.stop()
  signal.addEventListener('abort', stop)
  try {
    for await (const line of readLines(child.output)) {
      child.paged()
      if ('refused' in line) throw new DocumentUnreadable(line.refused)
      if (!('page' in line)) yield line
    }
    const end = await child.ended
    signal.throwIfAborted()
    if (end.code !== 0) throw failureOf(end)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    await child.ended
  }
}

const failureOf = ({ code, limited, complaint }: ChildEnd): Error => {
  if (limited) return new DocumentUnreadable('Reading it takes too much time or memory. Add it in parts, or in a simpler format.')
  return code === undefined
    ? new ReaderDied(`the process that read a document died: ${complaint.slice(0, 200)}`)
    : new DocumentUnreadable('The file is damaged.')
}
