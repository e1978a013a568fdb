import { join } from 'node:path'
import { readInstance, type InstanceNotes } from '#adapters/machine/instance-file.ts'
import { inClone, repository } from '#places.ts'
import { environmentWithFile } from '#settings/config-file.ts'

/** A service found by its notes on this machine. */
export interface FoundInstance {
  notes: InstanceNotes
  /** running: it answers, and matches the notes. silent: its process exists, but does not answer. gone: it left the notes behind. */
  state: 'running' | 'silent' | 'gone'
}

/** Possible data folders: from the settings; else in this folder, or in the clone, so that commands work in every folder. */
export const dataFolders = (environment: Readonly<Record<string, string | undefined>>): string[] => {
  const { OFFHOOK_DATA: named } = environmentWithFile(environment)
  if (named !== undefined) return [named]
  return inClone ? ['data', join(repository, 'data')] : ['data']
}

/** The first running one; else the first with notes. */
export const findInstance = async (folders: readonly string[]): Promise<FoundInstance | undefined> => {
  const found: FoundInstance[] = []
  for (const folder of folders) {
    const notes = await readInstance(folder)
    if (notes) found.push({ notes, state: await stateOf(notes) })
  }
  return found.find(({ state }) => state === 'running') ?? found[0]
}

const stateOf = async ({ pid, instance, addresses }: InstanceNotes): Promise<FoundInstance['state']> => {
  if ((await askHealth(addresses.http))?.instance === instance) return 'running'
  return isAlive(pid) ? 'silent' : 'gone'
}

export interface Health {
  instance?: string
  /** Time of its clock, to the second. */
  at: number
}

/** Health reply of the service at an address; undefined when nothing answers. */
export const askHealth = async (url: string): Promise<Health | undefined> => {
  try {
    const reply = await fetch(`${url}/health`, { signal: AbortSignal.timeout(3_000) })
    const text = await reply.text()
    const { instance } = (reply.ok ? JSON.parse(text) : {}) as { instance?: string }
    return { ...(instance !== undefined && { instance }), at: Date.parse(reply.headers.get('date') ?? '') }
  } catch {
    return undefined
  }
}

/** A process id reused by another program since the kill counts as alive; the result is silent anyway. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
