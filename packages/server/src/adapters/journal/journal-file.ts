import { open } from 'node:fs/promises'
import type { JournalFile } from '#core/kernel/ports/store/index.ts'

/** Readable by its owner only. Operations run one after the other, so that no two write into the same line. */
export const openJournalFile = async (path: string): Promise<JournalFile> => {
  const file = await open(path, 'a+', 0o600)
  let last: Promise<unknown> = Promise.resolve()
  /** One flush for all concurrent appends. */
  const waiting: string[] = []
  let appending: Promise<void> | undefined
  const sequentially = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => {})
    return turn
  }
  return {
    lines: () => sequentially(async () => (await readAll()).split('\n').filter((line) => line !== '')),
    append(lines) {
      waiting.push(...lines)
      return (appending ??= sequentially(appendWaiting))
    },
    clear: () =>
      sequentially(async () => {
        await file.truncate()
        await file.datasync()
      }),
    close: () => sequentially(() => file.close()),
  }

  async function appendWaiting(): Promise<void> {
    appending = undefined
    await file.appendFile(
      waiting
        .splice(0)
        .map((line) => `${line}\n`)
        .join(''),
    )
    await file.datasync()
  }

  async function readAll(): Promise<string> {
    const { size } = await file.stat()
    const { buffer } = await file.read({ buffer: Buffer.alloc(size), position: 0 })
    return buffer.toString()
  }
}
