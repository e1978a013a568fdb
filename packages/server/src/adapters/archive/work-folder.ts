import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'

export interface WorkFolder {
  path: string
  remove(): Promise<void>
}

/** A folder for what is not complete yet, which nobody else can look into. It is gone also when the process is ended in the middle of its work. */
export const workFolder = async (prefix: string): Promise<WorkFolder> => {
  const path = await mkdtemp(prefix)
  const onExit = (): void => rmSync(path, { recursive: true, force: true })
  process.once('exit', onExit)
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true })
      process.off('exit', onExit)
    },
  }
}
